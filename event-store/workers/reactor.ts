import type { AggregateType } from "#contracts/commit";
import { isDomainError } from "#contracts/errors";
import type { EventType } from "#contracts/event-registry";
import { derivedId } from "#contracts/ids";
import type { EventStore } from "../event-store.ts";
import type { Log } from "../log.ts";
import { readRecorded, type RecordedCommit, traceOf } from "../reading/recorded.ts";
import { openCommits } from "../sealing/open-commits.ts";
import { streamOf } from "../sharding.ts";
import { traceparentHeader } from "../tracing/tracing.ts";
import { inReactionSpan } from "./reaction-span.ts";
import { type Handled, startWorker, type Worker } from "./worker.ts";

export interface ReactorOptions {
  /** Names the durable consumers; must never change, else the reactor begins anew. */
  readonly name: string;
  readonly aggregates: readonly AggregateType[];
  /**
   * What it reacts to. Commits of these aggregates that have none of these events are passed over, without
   * a look at their text; without this, it reacts to each.
   */
  readonly events?: readonly EventType[];
  /**
   * Called at least once for every such commit, in no promised order. Commands that it issues take their
   * ids from {@link reactionId}, so that a repetition changes nothing.
   */
  readonly react: (recorded: RecordedCommit, attempt: number) => Promise<Handled>;
  readonly log: Log;
  readonly concurrency?: number;
  /** As that of a worker. */
  readonly ackWaitMs?: number;
  readonly maxAttempts?: number;
}

/** Starts a reactor on every shard. */
export const startReactor = async (store: EventStore, options: ReactorOptions): Promise<Worker> => {
  const wanted = options.events && new Set<string>(options.events);
  const workers = await Promise.all(
    Array.from({ length: store.shards }, (_, shard) =>
      startWorker(store, {
        stream: streamOf(shard),
        name: options.name,
        subjects: options.aggregates.map((aggregate) => `evt.${shard}.*.${aggregate}.*`),
        handle: async (message, attempt) => {
          const recorded = readRecorded(message);
          if (wanted && !recorded.commit.events.some(({ type }) => wanted.has(type))) return;
          const trace = traceOf(message.header(traceparentHeader));
          const opened = await openOrWait(store, { ...recorded, ...trace });
          if (opened === null) return { retryInMs: retryWithoutKeysMs };
          return inReactionSpan(
            store.tracing,
            { reactor: options.name, attempt },
            opened,
            (traced) => options.react(traced, attempt),
          );
        },
        log: options.log,
        ackWaitMs: options.ackWaitMs,
        ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
        ...(options.maxAttempts === undefined ? {} : { maxAttempts: options.maxAttempts }),
      }),
    ),
  );
  return {
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
};

/** When a commit comes again whose text could not be opened because its keys cannot be read. */
const retryWithoutKeysMs = 2_000;

/** The commit with its text; null while that cannot be had, which says nothing against the commit. */
const openOrWait = async (
  { dataKeys }: EventStore,
  recorded: RecordedCommit,
): Promise<RecordedCommit | null> => {
  try {
    return (await openCommits(dataKeys, [recorded]))[0] ?? null;
  } catch (error) {
    if (isDomainError(error, "log_unavailable")) return null;
    throw error;
  }
};

/** The id of the command that a reactor issues because of a commit: the same for each repetition. */
export const reactionId = (recorded: RecordedCommit, reactor: string, suffix = ""): string =>
  derivedId("command", recorded.position, reactor, suffix);
