/** What the benchmarks of appends append. */
import type { AggregateRef } from "#contracts/commit";
import { type Id, newId } from "#contracts/ids";
import type { NewCommit } from "../append/append.ts";

export interface BenchIds {
  readonly command: string;
  readonly event: Id<"event">;
  readonly prompt: string;
}

export const newBenchIds = (): BenchIds => ({
  command: newId("command"),
  event: newId("event"),
  prompt: newId("prompt"),
});

const text = "x".repeat(120);

/** 570 bytes, as a short prompt makes them. */
export const newBenchCommit = ({ command, event, prompt } = newBenchIds()): NewCommit => ({
  v: 1,
  events: [
    {
      id: event,
      type: "PromptQueued",
      v: 1,
      data: { promptId: prompt, text, by: "usr_bench" },
    },
  ],
  meta: {
    commandId: command,
    causationId: null,
    correlationId: command,
    actor: { kind: "service", id: "bench", via: "bench" },
    at: "2026-01-01T00:00:00.000Z",
  },
});

/** An aggregate of an organisation of its own. */
export const newBenchRef = (): AggregateRef => ({
  organization: newId("organization"),
  aggregate: "session",
  id: newId("session"),
});
