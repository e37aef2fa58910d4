/** envd's `filesystem.Filesystem`, without its watchers. */
import { lstat, mkdir, readdir, readlink, rename, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { EmulatedSandbox } from "../emulated-sandbox.ts";
import { ConnectFailure } from "../reply.ts";
import { locate } from "../sandbox-folder.ts";

const pathSchema = z.object({ path: z.string() });
const moveSchema = z.object({ source: z.string(), destination: z.string() });
const listSchema = pathSchema.extend({ depth: z.number().default(1) });

type Procedure = (sandbox: EmulatedSandbox, body: unknown) => Promise<unknown>;

export const filesystemProcedures: Readonly<Record<string, Procedure>> = {
  Stat: async ({ folder }, body) => ({
    entry: await entry(locate(folder, pathSchema.parse(body).path)),
  }),
  MakeDir: async ({ folder }, body) => {
    const file = locate(folder, pathSchema.parse(body).path);
    if (await lstat(file).catch(() => null)) {
      throw new ConnectFailure("already_exists", `directory already exists: ${file}`);
    }
    await mkdir(file, { recursive: true });
    return { entry: await entry(file) };
  },
  Move: async ({ folder }, body) => {
    const { source, destination } = moveSchema.parse(body);
    const target = locate(folder, destination);
    await entry(locate(folder, source));
    await mkdir(path.dirname(target), { recursive: true });
    await rename(locate(folder, source), target);
    return { entry: await entry(target) };
  },
  ListDir: async ({ folder }, body) => {
    const request = listSchema.parse(body);
    const root = locate(folder, request.path);
    await entry(root);
    return { entries: await entriesBelow(root, request.depth) };
  },
  Remove: async ({ folder }, body) => {
    await rm(locate(folder, pathSchema.parse(body).path), { recursive: true, force: true });
    return {};
  },
};

const entriesBelow = async (folder: string, depth: number): Promise<unknown[]> => {
  const names = (await readdir(folder)).toSorted();
  const entries = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const found = await entry(file);
      const deeper = found.type === "FILE_TYPE_DIRECTORY" && depth > 1;
      return [found, ...(deeper ? await entriesBelow(file, depth - 1) : [])];
    }),
  );
  return entries.flat();
};

/** @throws ConnectFailure `not_found` */
const entry = async (file: string) => {
  const stat = await lstat(file).catch(() => null);
  if (stat === null) throw new ConnectFailure("not_found", `path not found: ${file}`);
  const type = stat.isDirectory() ? "DIRECTORY" : stat.isSymbolicLink() ? "SYMLINK" : "FILE";
  return {
    name: path.basename(file),
    type: `FILE_TYPE_${type}`,
    path: file,
    // The protocol's JSON writes 64-bit numbers as text.
    size: String(stat.size),
    mode: stat.mode & 0o7777,
    permissions: (stat.mode & 0o777).toString(8),
    owner: "user",
    group: "user",
    modifiedTime: stat.mtime.toISOString(),
    ...(stat.isSymbolicLink() && { symlinkTarget: await readlink(file) }),
  };
};
