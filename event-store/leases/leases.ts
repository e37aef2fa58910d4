/**
 * Leases: work that must run in exactly one place is owned by whoever holds its lease. A lease alone
 * does not exclude a paused holder; the epoch does, which every command of the holder carries and
 * the aggregate checks.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { EventStore } from "../event-store.ts";
import { HeldLease, type Lease } from "./held-lease.ts";
import { type LeaseBucket, type LeaseValue, openLeaseBucket } from "./lease-bucket.ts";
import { classifyPublishFailure } from "../publish-outcome.ts";

export type { Lease } from "./held-lease.ts";

/** How long a lease lives without being renewed, in milliseconds. */
export const leaseTtlMs = { owner: 30_000, runtime: 20_000 } as const;
export type LeaseKind = keyof typeof leaseTtlMs;

export interface Leases {
  /** Takes the lease, or answers null when somebody else holds it. */
  acquire(key: string, instance: string): Promise<Lease | null>;
  /** Who holds the lease now. */
  holder(key: string): Promise<{ readonly instance: string } | null>;
}

export interface LeaseTimings {
  readonly ttlMs?: number;
}

const retryMs = 50;

/** Opens a bucket of leases. A TTL of one's own makes a bucket of its own name. */
export const openLeases = async (
  store: EventStore,
  kind: LeaseKind,
  { ttlMs = leaseTtlMs[kind] }: LeaseTimings = {},
): Promise<Leases> => {
  const name = ttlMs === leaseTtlMs[kind] ? `leases_${kind}` : `leases_${kind}_${ttlMs}`;
  const bucket = await openLeaseBucket(store, name, ttlMs);
  const onLost = (): void => store.observer?.leaseLost(kind);
  return {
    acquire: async (key, instance) => {
      const value = { instance, claim: randomUUID() };
      const askedAt = performance.now();
      const epoch = await createEntry(bucket, key, value);
      if (epoch === null) return null;
      return new HeldLease({ bucket, key, value, epoch, ttlMs, askedAt, onLost });
    },
    holder: async (key) => {
      const entry = await bucket.read(key);
      return entry && { instance: entry.instance };
    },
  };
};

/** The revision of the new entry; null when there is one already. */
const createEntry = async (
  bucket: LeaseBucket,
  key: string,
  value: LeaseValue,
): Promise<number | null> => {
  for (;;) {
    try {
      return await bucket.create(key, value);
    } catch (error) {
      const failure = classifyPublishFailure(error);
      if (failure === "refused") {
        throw error;
      }
      // It may have been stored all the same, by this attempt or by the one before.
      const entry = await bucket.read(key);
      if (entry) {
        return entry.claim === value.claim ? entry.revision : null;
      }
      await delay(retryMs);
    }
  }
};
