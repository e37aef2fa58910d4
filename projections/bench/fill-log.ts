/** Writes long logs fast: valid commits with their hash chains, as the appends of many clients leave them. */
import { type AggregateRef, type Commit, genesisHash } from "#contracts/commit";
import { definitionOf } from "#contracts/event-registry";
import { newId } from "#contracts/ids";
import { lastSequence } from "#event-store/reading/commit-feed";
import type { EventStore } from "#event-store/event-store";
import { hashOf } from "#event-store/reading/recorded";
import { subjectOf } from "#event-store/sharding";
import { type PlannedCommit, sessionCommits } from "./transcripts.ts";

export interface FillOptions {
  /** How many commits of one event each are written; all of the last sessions, so a few more. */
  readonly commits: number;
  /** How many commits a session has: 3 at its beginning, and 7 a turn, 4 of them of its transcript. */
  readonly commitsPerSession: number;
}

/** How many sessions are written at once, in turn. */
const sessionsAtOnce = 64;
/** The server drops messages of a stream when more than 10,000 wait: each one of so many is acknowledged. */
const messagesPerAck = 1_000;

/** Answers how many commits were written. The log must be empty and have one shard. */
export const fillLog = async (
  store: EventStore,
  { commits, commitsPerSession }: FillOptions,
): Promise<number> => {
  let written = 0;
  let acknowledged: Promise<unknown> = Promise.resolve();
  while (written < commits) {
    for (const [ref, bytes] of interleaved(commitsPerSession)) {
      const subject = subjectOf(ref, store.shards);
      written += 1;
      if (written % messagesPerAck !== 0) {
        store.connection.publish(subject, bytes);
        continue;
      }
      // one window is on its way while the next one is made
      await acknowledged;
      acknowledged = store.js.publish(subject, bytes, { timeout: 60_000 });
    }
  }
  await acknowledged;
  await store.connection.flush();
  const end = await endOf(store, written);
  if (end !== written) throw new Error(`Of ${written} commits, ${end} are in the log.`);
  return written;
};

/** What the server has taken in by now it answers in order, but what it has stored a little later. */
const endOf = async (store: EventStore, expected: number): Promise<number> => {
  let end = 0;
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const before = end;
    end = await lastSequence(store, 0);
    if (end >= expected || (attempt > 0 && end === before)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return end;
};

function* interleaved(commits: number): Generator<readonly [AggregateRef, Buffer]> {
  const sessions = Array.from({ length: sessionsAtOnce }, () =>
    chained(sessionCommits(newId("organization"), Math.ceil(commits / 7)).slice(0, commits)),
  );
  for (;;) {
    for (const session of sessions) {
      const { value, done } = session.next();
      if (done === true) return;
      yield value;
    }
  }
}

/** The bytes of a session's commits, each naming the hash of its aggregate's commit before. */
function* chained(
  planned: readonly PlannedCommit[],
): Generator<readonly [AggregateRef, Buffer], undefined> {
  const heads = new Map<string, string>();
  for (const { ref, event } of planned) {
    const commit: Commit = {
      v: 1,
      events: [
        {
          id: newId("event"),
          type: event.type,
          v: definitionOf(event.type).v,
          data: event.data,
        },
      ],
      meta: {
        commandId: newId("command"),
        causationId: null,
        correlationId: newId("command"),
        actor: { kind: "service", id: "bench", via: "bench" },
        at: "2026-03-01T12:00:00.000Z",
        prev: heads.get(ref.aggregate) ?? genesisHash,
      },
    };
    const bytes = Buffer.from(JSON.stringify(commit));
    heads.set(ref.aggregate, hashOf(bytes));
    yield [ref, bytes];
  }
  return undefined;
}
