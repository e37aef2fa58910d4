/**
 * Lets commits of different aggregates that come at once share a sync. A stream of one copy syncs each message
 * before it takes the next, so that many writers together are hardly faster than one; an atomic batch is synced
 * as a whole.
 *
 * Nothing else changes for a commit: it keeps its id and its expected sequence, and where the batch fails for
 * whatever reason, each of its messages is published as if there had been none.
 */
import type { JetStreamClient } from "@nats-io/jetstream";
import type { Lookup } from "../cluster/read-from-leader.ts";
import { type Publication, publishCommit } from "./publish-commit.ts";
import { publishGroup } from "./publish-group.ts";
import { shardIn } from "../sharding.ts";

export interface GroupCommit {
  /** As `publishCommit`, alone or in a group. */
  publish(publication: Publication): Promise<number | Lookup>;
}

/** So many are sent alone before others wait to become a group: enough to keep the server busy. */
const mostAlone = 16;
/** A batch is staged in a folder of its own first: the server takes as long for one as for ten messages or more. */
const leastInGroup = 32;
/** The server takes up to 1,000 messages in a batch; it keeps those of a whole one in memory. */
const mostInGroup = 128;
const mostBytesInGroup = 4 * 1024 * 1024;
/** Whoever waits longer, in milliseconds, is sent alone: the log may be away, which each learns for itself. */
const longestWaitMs = 1_000;

/** Publishes through this client. There is nothing to close: whoever waits is answered by the publishes. */
export const openGroupCommit = (js: JetStreamClient): GroupCommit => {
  const shards = new Map<number, GroupCommit>();
  return {
    publish: (publication) => {
      const shard = shardIn(publication.subject);
      const known = shards.get(shard) ?? openShard(js);
      shards.set(shard, known);
      return known.publish(publication);
    },
  };
};

interface Waiting extends Publication {
  /** A moment of `performance.now()`. */
  readonly since: number;
  readonly resolve: (stored: number | Lookup | Promise<number | Lookup>) => void;
}

const openShard = (js: JetStreamClient): GroupCommit => {
  let waiting: Waiting[] = [];
  let alone = 0;
  let grouping = false;
  let looking = false;

  const sendAlone = (one: Waiting): void => {
    alone += 1;
    const sent = publishCommit(js, one).finally(() => {
      alone -= 1;
      sendMore();
    });
    one.resolve(sent);
  };
  const sendGroup = async (group: readonly [Waiting, Waiting, ...Waiting[]]): Promise<void> => {
    grouping = true;
    const sequences = await publishGroup(js, group);
    for (const [index, one] of group.entries()) {
      const sequence = sequences?.[index];
      if (sequence === undefined) sendAlone(one);
      else one.resolve(sequence);
    }
    // those who have just been answered may have more to say, which is to be in the next group
    setImmediate(() => {
      grouping = false;
      sendMore();
    });
  };
  const sendMore = (): void => {
    if (grouping) return;
    const [first, second, ...others] = waiting.length < leastInGroup ? [] : firstFitting(waiting);
    if (first !== undefined && second !== undefined && others.length >= leastInGroup - 2) {
      const group = new Set([first, second, ...others]);
      waiting = waiting.filter((one) => !group.has(one));
      void sendGroup([first, second, ...others]);
    } else {
      waiting.splice(0, Math.max(0, mostAlone - alone)).forEach(sendAlone);
    }
  };

  const sendOverdue = (): void => {
    if (looking || waiting.length === 0) return;
    looking = true;
    const look = (): void => {
      const latest = performance.now() - longestWaitMs;
      const overdue = waiting.filter(({ since }) => since <= latest);
      waiting = waiting.filter(({ since }) => since > latest);
      overdue.forEach(sendAlone);
      looking = false;
      sendOverdue();
    };
    setTimeout(look, longestWaitMs).unref();
  };

  return {
    publish: (publication) =>
      new Promise((resolve) => {
        waiting.push({ ...publication, since: performance.now(), resolve });
        sendMore();
        sendOverdue();
      }),
  };
};

/** The first that fit into a batch, which may have one message of each aggregate. */
const firstFitting = (waiting: readonly Waiting[]): readonly Waiting[] => {
  const taken = new Map<string, Waiting>();
  let bytes = 0;
  for (const one of waiting) {
    if (taken.has(one.subject)) continue;
    bytes += one.bytes.byteLength;
    if (taken.size === mostInGroup || bytes > mostBytesInGroup) break;
    taken.set(one.subject, one);
  }
  return [...taken.values()];
};
