import type { SandboxFile } from "../provider/exec.ts";
import type { Machine } from "./machine.ts";

/** One after the other: each may be large. @throws DomainError `sandbox_unavailable` for a folder */
export const readFilesThrough = async (
  machine: Pick<Machine, "files" | "workspace">,
  paths: readonly string[],
): Promise<readonly SandboxFile[]> => {
  const files: SandboxFile[] = [];
  for (const path of paths) {
    const absolute = path.startsWith("/") ? path : `${machine.workspace}/${path}`;
    const there = await machine.files.exists(absolute);
    files.push({ path, content: there ? await machine.files.read(absolute) : null });
  }
  return files;
};
