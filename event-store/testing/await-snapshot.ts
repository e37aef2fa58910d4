import { vi } from "vitest";
import type { AggregateRef } from "#contracts/commit";
import type { EventStore } from "../event-store.ts";
import { subjectOf } from "../sharding.ts";

/** The snapshot of an aggregate as it is stored, once there is one: it is written behind the commands. */
export const awaitSnapshot = ({ snapshots, shards }: EventStore, ref: AggregateRef) =>
  vi.waitUntil(
    async () => {
      const entry = await snapshots.get(subjectOf(ref, shards));
      return entry?.operation === "PUT" && entry;
    },
    { timeout: 10_000 },
  );
