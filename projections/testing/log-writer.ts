/** Test and bench support: appends events as they are given, without a decider, in real commits. */
import type { AggregateRef } from "#contracts/commit";
import { type AnyEvent, definitionOf } from "#contracts/event-registry";
import { newId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import { append, type NewCommit } from "#event-store/append/append";
import type { EventStore } from "#event-store/event-store";
import type { AggregateVersion } from "#event-store/append/expected-version";
import { formatPosition } from "#event-store/position";

export interface LogWriter {
  /** Appends one commit. Commits of the same aggregate must be written one after the other. */
  write(ref: AggregateRef, events: readonly AnyEvent[], at?: string): Promise<Position>;
}

/** A writer that knows the state of every aggregate because nobody else writes them. */
export const openLogWriter = (store: EventStore): LogWriter => {
  const heads = new Map<string, AggregateVersion>();
  return {
    write: async (ref, events, at = new Date().toISOString()) => {
      const key = `${ref.organization}/${ref.aggregate}/${ref.id}`;
      const commit: NewCommit = {
        v: 1,
        events: events.map(({ type, data }) => ({
          id: newId("event"),
          type,
          v: definitionOf(type).v,
          data,
        })),
        meta: {
          commandId: newId("command"),
          causationId: null,
          correlationId: newId("command"),
          actor: { kind: "service", id: "log-writer", via: "test" },
          at,
        },
      };
      const appended = await append(store, ref, commit, { expected: heads.get(key) ?? "new" });
      heads.set(key, appended);
      return formatPosition(appended.shard, appended.sequence);
    },
  };
};
