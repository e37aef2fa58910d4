/**
 * Leases: work that must run in exactly one place is owned by whoever holds its lease. A lease alone
 * does not exclude a paused holder; the epoch does, which every command of the holder carries and
 * the aggregate checks.
 */
import { setTimeout as delay } from "node:timers/promises";
import { StorageType } from "@nats-io/jetstream";
import { type KV, type KvEntry, Kvm } from "@nats-io/kv";
import type { EventStore } from "./event-store.ts";
import { classifyPublishFailure } from "./publish-outcome.ts";

/** How long a lease lives without being renewed, in milliseconds. */
export const leaseTtlMs = { owner: 30_000, runtime: 20_000 } as const;
export type LeaseKind = keyof typeof leaseTtlMs;

export interface Lease {
  readonly key: string;
  /** The bucket's revision at acquisition: greater than that of every earlier holder. */
  readonly epoch: number;
  /** Aborts when the lease is lost, or cannot be known to be held any more. */
  readonly lost: AbortSignal;
  /** Gives the lease back, so that another may take it at once. */
  release(): Promise<void>;
}

export interface Leases {
  /** Takes the lease, or answers null when somebody else holds it. */
  acquire(key: string, instance: string): Promise<Lease | null>;
  /** Who holds the lease now. */
  holder(key: string): Promise<{ readonly instance: string; readonly epoch: number } | null>;
}

export interface LeaseTimings {
  readonly ttlMs?: number;
}

/** Opens a bucket of leases. A TTL of one's own makes a bucket of its own name. */
export const openLeases = async (
  { js, replicas }: EventStore,
  kind: LeaseKind,
  { ttlMs = leaseTtlMs[kind] }: LeaseTimings = {},
): Promise<Leases> => {
  const bucket = await new Kvm(js).create(
    ttlMs === leaseTtlMs[kind] ? `leases_${kind}` : `leases_${kind}_${ttlMs}`,
    { ttl: ttlMs, replicas, storage: StorageType.File, history: 1 },
  );
  return {
    acquire: async (key, instance) => {
      const value = JSON.stringify({ instance });
      const askedAt = performance.now();
      const epoch = await createEntry(bucket, key, value);
      return epoch === null ? null : new HeldLease({ bucket, key, value, epoch, ttlMs, askedAt });
    },
    holder: async (key) => {
      const entry = await bucket.get(key);
      return isLive(entry)
        ? { instance: entry.json<{ instance: string }>().instance, epoch: entry.revision }
        : null;
    },
  };
};

const isLive = (entry: KvEntry | null): entry is KvEntry => entry?.operation === "PUT";

/** The revision of the new entry; null when there is one already. */
const createEntry = async (bucket: KV, key: string, value: string): Promise<number | null> => {
  for (;;) {
    try {
      return await bucket.create(key, value);
    } catch (error) {
      switch (classifyPublishFailure(error)) {
        case "wrong_last_sequence":
          return null;
        case "retry_same": {
          // It may have been stored all the same; only an entry of ours that nobody else can have
          // written would say so, and the next owner's epoch makes that one harmless.
          const entry = await bucket.get(key);
          if (isLive(entry)) {
            return null;
          }
          await delay(50);
          break;
        }
        case "refused":
          throw error;
      }
    }
  }
};

interface HeldLeaseOptions {
  readonly bucket: KV;
  readonly key: string;
  readonly value: string;
  readonly epoch: number;
  readonly ttlMs: number;
  readonly askedAt: number;
}

class HeldLease implements Lease {
  readonly key: string;
  readonly epoch: number;
  readonly #options: HeldLeaseOptions;
  readonly #lost = new AbortController();
  #revision: number;
  /** When the last acknowledged renewal was asked for, by the local monotonic clock. */
  #renewedAt: number;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: HeldLeaseOptions) {
    this.#options = options;
    this.key = options.key;
    this.epoch = options.epoch;
    this.#revision = options.epoch;
    this.#renewedAt = options.askedAt;
    this.#schedule();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async release(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#renewing;
    if (this.#lost.signal.aborted) {
      return;
    }
    this.#drop("released");
    try {
      await this.#options.bucket.delete(this.key, { previousSeq: this.#revision });
    } catch (error) {
      // Somebody else holds it by now, or the log is away and the lease will run out by itself.
      if (classifyPublishFailure(error) === "refused") {
        throw error;
      }
    }
  }

  #schedule(): void {
    // Every third of its time to live, so that one renewal may fail before the lease fences itself.
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renew();
    }, this.#options.ttlMs / 3);
  }

  async #renew(): Promise<void> {
    const { bucket, key, value, ttlMs } = this.#options;
    const deadline = this.#renewedAt + (ttlMs * 2) / 3;
    const selfFence = setTimeout(
      () => this.#drop("not renewed in time"),
      deadline - performance.now(),
    );
    try {
      while (!this.#lost.signal.aborted) {
        const askedAt = performance.now();
        try {
          this.#revision = await bucket.update(key, value, this.#revision);
          this.#renewedAt = askedAt;
          this.#schedule();
          return;
        } catch (error) {
          await this.#settle(error);
        }
      }
    } finally {
      clearTimeout(selfFence);
    }
  }

  /** Finds out what became of a renewal that failed. */
  async #settle(error: unknown): Promise<void> {
    if (classifyPublishFailure(error) === "refused") {
      this.#drop("the renewal was refused");
      return;
    }
    try {
      const entry = await this.#options.bucket.get(this.key);
      if (!isLive(entry)) {
        this.#drop("it ran out");
      } else if (entry.revision !== this.#revision) {
        if (entry.string() === this.#options.value) {
          this.#revision = entry.revision;
        } else {
          this.#drop("somebody else took it");
        }
      }
    } catch {
      // The log cannot be asked: try again until the lease fences itself.
      await delay(100);
    }
  }

  #drop(reason: string): void {
    clearTimeout(this.#timer);
    this.#lost.abort(new Error(`The lease on ${this.key} is gone: ${reason}.`));
  }
}
