import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { DomainError } from "#contracts/errors";
import type { EventStore } from "../event-store.ts";
import type { DataKeys } from "../sealing/data-keys.ts";
import { streamOf } from "../sharding.ts";

/**
 * Opens the log that a server has, as it is: an audit neither creates streams nor changes them, and
 * takes the number of shards from what is there rather than from settings. Without keys, sealed text
 * stays sealed.
 *
 * @throws DomainError `prerequisite_missing` if there is no log, `log_gap` if one of its streams is missing
 */
export const openAsFound = async (
  connection: NatsConnection,
  dataKeys: DataKeys | null = null,
): Promise<EventStore> => {
  const js = jetstream(connection);
  const jsm = await jetstreamManager(connection);
  const found = new Map<string, number>();
  for await (const { config } of jsm.streams.list()) {
    if (/^EVENTS_\d+$/.test(config.name)) found.set(config.name, config.num_replicas);
  }
  const shards = Math.max(0, ...[...found.keys()].map((name) => Number(name.slice(7)) + 1));
  if (shards === 0) {
    throw new DomainError(
      "prerequisite_missing",
      'This server has no log; "streams apply" makes an empty one.',
    );
  }
  for (let shard = 0; shard < shards; shard += 1) {
    if (!found.has(streamOf(shard))) {
      throw new DomainError("log_gap", `The stream ${streamOf(shard)} is missing.`);
    }
  }
  const snapshots = await new Kvm(js).open("snapshots");
  const replicas = found.get(streamOf(0)) ?? 1;
  const untouched = { groups: null, tracing: null, observer: null };
  return { connection, js, jsm, shards, replicas, snapshots, dataKeys, ...untouched };
};
