import { createHash } from "node:crypto";
import type { NatsCluster } from "#infra/nats-cluster/nats-cluster";
import type { EventStore } from "../../event-store.ts";
import { lastSequence } from "../../reading/commit-feed.ts";
import type { RecordedCommit } from "../../reading/recorded.ts";
import { type ChainVerdict, verifyChain } from "../../reading/verify-chain.ts";
import { whenAvailable } from "../await-leaders.ts";
import type { AcknowledgedCommit } from "./occ-load.ts";
import { readReplica } from "./read-replica.ts";

/** What one node holds, against what was acknowledged. */
export interface ReplicaVerdict {
  readonly node: string;
  readonly commits: number;
  /** Acknowledged commits that do not stand at their place with their bytes. */
  readonly lost: number;
  /** Commits whose command is in the log twice. */
  readonly repeated: number;
  /** Sequences that do not follow the one before. */
  readonly outOfOrder: number;
  readonly chain: ChainVerdict;
  /** Over all places and bytes: the same for replicas that are the same. */
  readonly digest: string;
}

/** Reads the first shard from each node, wholly, and compares. */
export const verifyReplicas = async (
  store: EventStore,
  cluster: NatsCluster,
  acknowledged: readonly AcknowledgedCommit[],
): Promise<readonly ReplicaVerdict[]> => {
  const end = await whenAvailable(() => lastSequence(store, 0));
  const verdicts: ReplicaVerdict[] = [];
  for (const { name: node } of cluster.nodes) {
    const missing = new Map(acknowledged.map((commit) => [commit.sequence, commit]));
    // Two acknowledgements of one place would be hidden by the map.
    let lost = acknowledged.length - missing.size;
    let commits = 0;
    let outOfOrder = 0;
    const commands = new Set<string>();
    const digest = createHash("sha256");
    const note = (recorded: RecordedCommit): void => {
      const { sequence, hash, commit } = recorded;
      commits += 1;
      if (sequence !== commits) outOfOrder += 1;
      commands.add(commit.meta.commandId);
      digest.update(`${sequence} ${hash}\n`);
      const promised = missing.get(sequence);
      missing.delete(sequence);
      const kept = promised?.hash === hash && promised.commandId === commit.meta.commandId;
      if (promised !== undefined && !kept) lost += 1;
    };
    const chain = await verifyChain(noted(readReplica(store, { shard: 0, node, end }), note));
    verdicts.push({
      node,
      commits,
      lost: lost + missing.size,
      repeated: commits - commands.size,
      outOfOrder,
      chain,
      digest: digest.digest("hex"),
    });
  }
  return verdicts;
};

async function* noted<T>(items: AsyncIterable<T>, note: (item: T) => void): AsyncGenerator<T> {
  for await (const item of items) {
    note(item);
    yield item;
  }
}
