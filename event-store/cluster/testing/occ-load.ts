/** Load for crash tests: writers that share aggregates, and remember every answer that they got. */
import { setTimeout as delay } from "node:timers/promises";
import type { AggregateRef } from "#contracts/commit";
import { isDomainError } from "#contracts/errors";
import { newId } from "#contracts/ids";
import {
  append,
  type Appended,
  ConcurrencyConflict,
  type NewCommit,
  readVersion,
} from "../../append/append.ts";
import type { EventStore } from "../../event-store.ts";
import { type AggregateVersion, noCommits } from "../../append/expected-version.ts";

/** An append that was answered; times are of `performance.now()`, in milliseconds. */
export interface AcknowledgedCommit {
  readonly sequence: number;
  readonly commandId: string;
  readonly hash: string;
  readonly begunAt: number;
  readonly acknowledgedAt: number;
}

export interface OccLoad {
  /** In the order of the answers; grows while the load runs. */
  readonly acknowledged: readonly AcknowledgedCommit[];
  /** Lets every writer finish what it has begun. Throws what a writer has failed with. */
  stop(): Promise<void>;
}

const pollMs = 10;

/** Starts writers on fewer aggregates, so that they get in each other's way; all in one shard. */
export const startOccLoad = (
  store: EventStore,
  options: { readonly writers?: number; readonly aggregates?: number } = {},
): OccLoad => {
  const { writers = 16, aggregates = writers / 2 } = options;
  const organization = newId("organization");
  const refs = Array.from({ length: aggregates }, () => ({
    organization,
    aggregate: "session" as const,
    id: newId("session"),
  }));
  const acknowledged: AcknowledgedCommit[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = Promise.all(
    Array.from({ length: Math.ceil(writers / aggregates) }, () => refs)
      .flat()
      .slice(0, writers)
      .map((ref) => write({ store, ref, acknowledged, signal })),
  );
  // Whoever stops the load sees the failure; until then it is nobody's unhandled rejection.
  running.catch(() => undefined);
  return {
    acknowledged,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

interface Writer {
  readonly store: EventStore;
  readonly ref: AggregateRef;
  readonly acknowledged: AcknowledgedCommit[];
  readonly signal: AbortSignal;
}

const write = async ({ store, ref, acknowledged, signal }: Writer): Promise<void> => {
  let head = noCommits;
  while (!signal.aborted) {
    const commandId = newId("command");
    const begunAt = performance.now();
    const appended = await appendUntilAnswered(store, ref, head, commitOf(commandId));
    if (appended === undefined) {
      head = await untilAnswered(() => readVersion(store, ref));
      continue;
    }
    head = appended;
    const { sequence, hash } = appended;
    acknowledged.push({
      sequence,
      commandId,
      hash,
      begunAt,
      acknowledgedAt: performance.now(),
    });
  }
};

/** Undefined when another writer was first. */
const appendUntilAnswered = async (
  store: EventStore,
  ref: AggregateRef,
  expected: AggregateVersion,
  commit: NewCommit,
): Promise<Appended | undefined> => {
  try {
    return await untilAnswered(() => append(store, ref, commit, { expected }));
  } catch (error) {
    if (error instanceof ConcurrencyConflict) return undefined;
    throw error;
  }
};

/** Tries on when the nodes are away for longer than the store waits. */
const untilAnswered = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDomainError(error, "log_unavailable")) throw error;
    }
  }
};

/** About 450 bytes, as a short prompt makes them. */
const commitOf = (commandId: string): NewCommit => ({
  v: 1,
  events: [
    {
      id: newId("event"),
      type: "PromptQueued",
      v: 1,
      data: { promptId: newId("prompt"), text: "x".repeat(120), by: "usr_load" },
    },
  ],
  meta: {
    commandId,
    causationId: null,
    correlationId: commandId,
    actor: { kind: "service", id: "load", via: "test" },
    at: "2026-01-01T00:00:00.000Z",
  },
});

/**
 * How long it took, in milliseconds, from an instant of `performance.now()` until an append that was
 * begun after it was acknowledged. Infinity when none is within the time.
 */
export const timeToResume = async (
  { acknowledged }: OccLoad,
  from: number,
  timeoutMs = 60_000,
): Promise<number> => {
  let seen = acknowledged.length;
  while (performance.now() < from + timeoutMs) {
    const first = acknowledged.slice(seen).find(({ begunAt }) => begunAt >= from);
    if (first !== undefined) return first.acknowledgedAt - from;
    seen = acknowledged.length;
    await delay(pollMs);
  }
  return Infinity;
};

/** The longest time without an answer between two instants, in milliseconds. */
export const longestPause = (
  { acknowledged }: OccLoad,
  { from, to }: { readonly from: number; readonly to: number },
): number => {
  const instants = acknowledged
    .map(({ acknowledgedAt }) => acknowledgedAt)
    .filter((instant) => instant > from && instant < to);
  let longest = 0;
  let before = from;
  for (const instant of [...instants, to]) {
    longest = Math.max(longest, instant - before);
    before = instant;
  }
  return longest;
};
