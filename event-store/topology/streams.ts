/** Every stream and bucket, as data. Subjects of different streams never overlap. */
import { RetentionPolicy, type StreamConfig, StorageType } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { streamOf } from "../sharding.ts";

export const inboxStream = "INBOX";
export const timersStream = "TIMERS";
export const liveStream = "LIVE";
export const deadLetterStream = "DEAD_LETTERS";

/** Newest live messages kept of each session. */
const liveMessagesPerSession = 10_000;

/** Newest firings kept of each repeating timer. */
const firingsPerTimer = 1_000;

const minute = 60_000;
const day = 24 * 60 * minute;

export type StreamDefinition = Partial<StreamConfig> & Pick<StreamConfig, "name" | "subjects">;

/**
 * The streams of a deployment. The event streams refuse deletion and have no limits, so that
 * `messages = last_seq - first_seq + 1` always holds and a missing message can only be damage.
 */
export const streamDefinitions = (options: {
  readonly shards: number;
  readonly replicas: number;
}): readonly StreamDefinition[] => [
  ...Array.from({ length: options.shards }, (_, shard) => ({
    name: streamOf(shard),
    subjects: [`evt.${shard}.>`],
    storage: StorageType.File,
    num_replicas: options.replicas,
    retention: RetentionPolicy.Limits,
    deny_delete: true,
    deny_purge: true,
    allow_atomic: true,
    allow_direct: true,
    duplicate_window: nanos(2 * minute),
  })),
  {
    name: inboxStream,
    subjects: ["inbox.>"],
    storage: StorageType.File,
    num_replicas: options.replicas,
    max_age: nanos(7 * day),
    allow_direct: true,
    duplicate_window: nanos(10 * minute),
  },
  {
    name: timersStream,
    subjects: ["timer.>"],
    storage: StorageType.File,
    num_replicas: options.replicas,
    // Of what has fired and is not handled yet; of schedules the server itself keeps one for each subject.
    max_msgs_per_subject: firingsPerTimer,
    allow_msg_schedules: true,
    allow_msg_ttl: true,
    allow_rollup_hdrs: true,
    allow_direct: true,
  },
  {
    name: deadLetterStream,
    // The letters, the failures that may become one, and what operators want handled again.
    subjects: ["dead.>", "failures.>", "requeue.>"],
    storage: StorageType.File,
    num_replicas: options.replicas,
    max_msgs_per_subject: 1,
    allow_msg_ttl: true,
    allow_direct: true,
  },
  {
    name: liveStream,
    subjects: ["live.>"],
    storage: StorageType.Memory,
    num_replicas: 1,
    max_age: nanos(15 * minute),
    max_msgs_per_subject: liveMessagesPerSession,
    // Of the mark by which one life of this stream is told from the next.
    allow_msg_ttl: true,
    allow_direct: true,
  },
];
