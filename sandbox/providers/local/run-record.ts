/**
 * The record of a running agent server, in the sandbox's `run` folder. It lets a control plane that was
 * started later find the server, which outlives the one that launched it.
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { Layout } from "./layout.ts";

const runRecordSchema = z.object({
  version: z.literal(1),
  pid: z.int().positive(),
  /** Tells the process from a later one with the same id. */
  startTime: z.string(),
  baseUrl: z.url(),
  password: z.string(),
  /** Of the settings that the server was launched with; others need another launch. */
  settings: z.string(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

const recordPath = (layout: Layout): string => path.join(layout.run, "server.json");

/** Null without a usable record; the caller then searches the process table. */
export const readRunRecord = async (layout: Layout): Promise<RunRecord | null> => {
  try {
    return runRecordSchema.parse(JSON.parse(await readFile(recordPath(layout), "utf8")));
  } catch {
    return null; // Absent, or cut off by a crash: then nothing was promised to anybody.
  }
};

export const writeRunRecord = async (layout: Layout, record: RunRecord): Promise<void> => {
  const draft = `${recordPath(layout)}.draft`;
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 });
  await rename(draft, recordPath(layout));
};

export const removeRunRecord = (layout: Layout): Promise<void> =>
  rm(recordPath(layout), { force: true });
