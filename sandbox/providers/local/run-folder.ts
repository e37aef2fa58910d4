/**
 * What the provider keeps of a sandbox in its `run` folder, which is not visible inside: the boot record,
 * and which process each program is. It lets a control plane that was started later find programs that
 * outlived the one that launched them.
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { BootRecordStore, ProgramName } from "../../boot/machine.ts";
import type { Layout } from "./layout.ts";
import type { ProcessRef } from "./processes.ts";

export const programLog = (layout: Layout, name: ProgramName): string =>
  path.join(layout.run, `${name}.log`);

export const bootRecordStore = (layout: Layout): BootRecordStore => {
  const file = path.join(layout.run, "boot.json");
  return { read: () => readText(file), write: (text) => replaceFile(file, text) };
};

const processRefSchema = z.object({ pid: z.int().positive(), startTime: z.string() });

const programFile = (layout: Layout, name: ProgramName): string =>
  path.join(layout.run, `${name}.json`);

export const readProgramProcess = async (
  layout: Layout,
  name: ProgramName,
): Promise<ProcessRef | null> => {
  const text = await readText(programFile(layout, name));
  return text === null ? null : processRefSchema.parse(JSON.parse(text));
};

export const writeProgramProcess = (
  layout: Layout,
  name: ProgramName,
  { pid, startTime }: ProcessRef,
): Promise<void> => replaceFile(programFile(layout, name), JSON.stringify({ pid, startTime }));

const surroundingsSchema = z.object({
  /** For everything that runs inside. */
  environment: z.record(z.string(), z.string()),
  /** What the fence lets through for reading, besides the system: programs, local repositories. */
  readable: z.array(z.string()),
});
export type Surroundings = Readonly<z.infer<typeof surroundingsSchema>>;

const surroundingsFile = (layout: Layout): string => path.join(layout.run, "surroundings.json");

/** For commands that are run later, by whoever finds the sandbox. Null unless it was booted. */
export const readSurroundings = async (layout: Layout): Promise<Surroundings | null> => {
  const text = await readText(surroundingsFile(layout));
  return text === null ? null : surroundingsSchema.parse(JSON.parse(text));
};

export const writeSurroundings = (layout: Layout, surroundings: Surroundings): Promise<void> =>
  replaceFile(surroundingsFile(layout), JSON.stringify(surroundings));

/** Forgets what ran; the folder is made again by the next boot. */
export const clearRunFolder = (layout: Layout): Promise<void> =>
  rm(layout.run, { recursive: true, force: true });

const replaceFile = async (file: string, text: string): Promise<void> => {
  const draft = `${file}.draft`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
};

const readText = async (file: string): Promise<string | null> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
};
