/** Event streams that real OpenCode servers sent, each with what they answered about the messages afterwards. */
import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { storedMessageSchema, type StoredMessage } from "../schemas.ts";

const folder = new URL("./recordings/", import.meta.url);

export interface Recording {
  /** The JSON text of each event, in order. */
  readonly events: readonly string[];
  readonly messages: readonly StoredMessage[];
  readonly sessionId: string;
}

export const recordingNames: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""));

export const readRecording = (name: string): Recording => {
  const read = (suffix: string) => readFileSync(new URL(`${name}${suffix}`, folder), "utf8");
  const messages = z.array(storedMessageSchema).parse(JSON.parse(read(".messages.json")));
  const sessionId = messages[0]?.info.sessionID;
  if (sessionId === undefined) throw new Error(`The recording ${name} has no messages.`);
  const events = read(".jsonl")
    .split("\n")
    .filter((line) => line !== "");
  return { events, messages, sessionId };
};
