/** envd's plain HTTP endpoint for the bytes of files. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { EmulatedSandbox } from "../emulated-sandbox.ts";
import { failure, type Reply } from "../reply.ts";
import { locate } from "../sandbox-folder.ts";

export const readSandboxFile = async (
  { folder }: EmulatedSandbox,
  inside: string,
): Promise<Reply> => {
  try {
    const body = await readFile(locate(folder, inside));
    return { status: 200, body, headers: { "content-type": "application/octet-stream" } };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT") return failure(404, `path '${inside}' does not exist`);
    return failure(400, `path '${inside}' cannot be read: ${String(code)}`);
  }
};

export interface Upload {
  /** Where the only file goes; files of a form may name their own paths instead. */
  readonly path: string | null;
  readonly contentType: string;
  readonly body: Buffer;
}

export const writeSandboxFiles = async (
  { folder }: EmulatedSandbox,
  upload: Upload,
): Promise<Reply> => {
  const files = upload.contentType.startsWith("multipart/form-data")
    ? await filesOfForm(upload)
    : [{ path: upload.path, content: upload.body }];
  const written: unknown[] = [];
  for (const file of files) {
    if (file.path === null) return failure(400, "a file has no path");
    const target = locate(folder, file.path);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, file.content);
    written.push({ path: target, name: path.basename(target), type: "file" });
  }
  return { status: 200, body: written };
};

const filesOfForm = async (upload: Upload) => {
  const form = await new Response(new Uint8Array(upload.body), {
    headers: { "content-type": upload.contentType },
  }).formData();
  return Promise.all(
    form.getAll("file").map(async (file) => {
      if (typeof file === "string") return { path: upload.path, content: Buffer.from(file) };
      return { path: upload.path ?? file.name, content: Buffer.from(await file.arrayBuffer()) };
    }),
  );
};
