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
    files.push({ path, content: await machine.files.read(absolute) });
  }
  return files;
};
