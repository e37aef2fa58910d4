/** What the benchmarks of appends append. */
import type { AggregateRef } from "#contracts/commit";
import { newId } from "#contracts/ids";
import type { NewCommit } from "../append.ts";

/** 570 bytes, as a short prompt makes them. */
export const newBenchCommit = (): NewCommit => {
  const commandId = newId("command");
  return {
    v: 1,
    events: [
      {
        id: newId("event"),
        type: "PromptQueued",
        v: 1,
        data: { promptId: newId("prompt"), text: "x".repeat(120), by: "usr_bench" },
      },
    ],
    meta: {
      commandId,
      causationId: null,
      correlationId: commandId,
      actor: { kind: "service", id: "bench", via: "bench" },
      at: "2026-01-01T00:00:00.000Z",
    },
  };
};

/** An aggregate of an organisation of its own. */
export const newBenchRef = (): AggregateRef => ({
  organization: newId("organization"),
  aggregate: "session",
  id: newId("session"),
});
