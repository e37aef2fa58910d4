/**
 * What a memory snapshot keeps of running processes here: command line, environment, folder and output file.
 * A restore starts the same commands anew. Their memory and their connections are not kept; what they had
 * written to files is. (The real service keeps the memory.)
 */
import { spawn } from "node:child_process";
import { open, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { findSandboxProcesses, readProcess } from "../../providers/local/processes.ts";
import type { Container } from "./container.ts";

export interface ProcessImage {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly output: string;
}

/** Processes that were left in the background; what belongs to a running exec ends with it. */
export const captureProcesses = async (sandboxId: string): Promise<readonly ProcessImage[]> => {
  const found = await findSandboxProcesses(sandboxId);
  const pids = new Set(found.map(({ pid }) => pid));
  const images: ProcessImage[] = [];
  for (const { pid } of found) {
    const parent = (await readProcess(pid))?.parent ?? process.pid;
    if (parent === process.pid || pids.has(parent)) continue;
    const variables = (await proc(pid, "environ")).map((entry): [string, string] => {
      const split = entry.indexOf("=");
      return [entry.slice(0, split), entry.slice(split + 1)];
    });
    images.push({
      pid,
      argv: await proc(pid, "cmdline"),
      env: Object.fromEntries(variables),
      cwd: await readlink(`/proc/${pid}/cwd`),
      output: await readlink(`/proc/${pid}/fd/1`),
    });
  }
  return images;
};

const proc = async (pid: number, file: string): Promise<string[]> =>
  (await readFile(`/proc/${pid}/${file}`, "utf8")).split("\0").slice(0, -1);

/** Another container has other ports, and perhaps another folder; whatever names the old ones is changed. */
export const startProcesses = async (
  images: readonly ProcessImage[],
  before: Pick<Container, "root" | "ports">,
  container: Container,
): Promise<void> => {
  const ports = new Map(
    [...before.ports].map(([port, real]) => [String(real), String(container.ports.get(port))]),
  );
  const moved = (text: string): string =>
    ports.get(text) ?? text.replaceAll(before.root, container.root);
  for (const image of images) {
    const [program = "", ...args] = image.argv.map(moved);
    await using output = await open(moved(image.output), "a");
    const env = Object.fromEntries(
      Object.entries(image.env).map(([name, value]) => [name, moved(value)]),
    );
    const child = spawn(program, args, {
      cwd: moved(image.cwd),
      env: { ...env, ...container.environment(env) },
      detached: true,
      stdio: ["ignore", output.fd, output.fd],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("spawn", resolve);
    });
    child.unref();
    await renumber(container.home, image.pid, child.pid ?? 0);
  }
};

/** A restored process has its old id in the real service. Here the files that name it (`*.pid`) are changed. */
const renumber = async (folder: string, before: number, after: number): Promise<void> => {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith(".pid")) continue;
    const file = path.join(folder, name);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(new RegExp(`^${before}\\b`), String(after)));
  }
};
