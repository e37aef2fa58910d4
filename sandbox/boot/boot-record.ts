/**
 * What a boot leaves for those who come later: how its server is reached, and what it was launched with.
 * It is written before the launch, so that a crash in between leaves no server that nobody can talk to.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { SandboxSpec } from "../provider/spec.ts";
import type { BootRecordStore, Machine } from "./machine.ts";

const port = z.int().min(1).max(65_535);

const bootRecordSchema = z.object({
  version: z.literal(1),
  password: z.string(),
  ports: z.object({ opencode: port, preview: port, sidecar: port }),
  /** Of the settings that the server was launched with; others need another launch. */
  settings: z.string(),
  /** Whether the boot came to its end: a server may run in a workspace that was never filled. */
  whole: z.boolean(),
});
export type BootRecord = z.infer<typeof bootRecordSchema>;

/** Null without a usable record; the sandbox is then booted anew. */
export const readBootRecord = async (store: BootRecordStore): Promise<BootRecord | null> => {
  const text = await store.read();
  if (text === null) return null;
  try {
    return bootRecordSchema.parse(JSON.parse(text));
  } catch {
    return null; // Of another version, or changed by the agent: it promises nothing.
  }
};

export const writeBootRecord = (store: BootRecordStore, record: BootRecord): Promise<void> =>
  store.write(JSON.stringify(record));

/**
 * Tells whether a running server was launched with the settings that are wanted now. Without what only
 * the clone needs, and without the token, which is renewed at the next launch: a turn that goes on is
 * worth more than a fresh token.
 */
export const settingsFingerprint = (
  { gateway, model, instructions, toolPermissions, environment = {} }: SandboxSpec,
  { opencodeCommand }: Pick<Machine, "opencodeCommand">,
): string => {
  const settings = [gateway.url, model, instructions, environment, opencodeCommand];
  if (toolPermissions) settings.push(toolPermissions);
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex");
};
