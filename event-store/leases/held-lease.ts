import { setTimeout as delay } from "node:timers/promises";
import type { LeaseBucket, LeaseValue } from "./lease-bucket.ts";
import { classifyPublishFailure } from "../publish-outcome.ts";

/** A lease in somebody's hands. */
export interface Lease {
  readonly key: string;
  /** The bucket's revision at acquisition: greater than that of every earlier holder. */
  readonly epoch: number;
  /** Aborts when the lease is lost, or cannot be known to be held any more. */
  readonly lost: AbortSignal;
  /** Gives the lease back, so that another may take it at once. */
  release(): Promise<void>;
}

export interface HeldLeaseOptions {
  readonly bucket: LeaseBucket;
  readonly key: string;
  readonly value: LeaseValue;
  readonly epoch: number;
  readonly ttlMs: number;
  /** When the lease was asked for, by `performance.now()`. */
  readonly askedAt: number;
  /** Called once if the lease is lost, and not when it is given back. Must not throw. */
  readonly onLost: () => void;
}

const retryMs = 50;

/**
 * Renews a lease every third of its time to live. When two thirds have passed without an acknowledged
 * renewal it counts as lost, by the local monotonic clock: before the server lets anybody else have it.
 */
export class HeldLease implements Lease {
  readonly key: string;
  readonly epoch: number;
  readonly #options: HeldLeaseOptions;
  readonly #lost = new AbortController();
  #revision: number;
  /** When the last acknowledged renewal was asked for. */
  #renewedAt: number;
  #renewTimer: NodeJS.Timeout | undefined;
  #fenceTimer: NodeJS.Timeout | undefined;
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
    clearTimeout(this.#renewTimer);
    await this.#renewing;
    if (!this.#lost.signal.aborted) {
      this.#drop("released");
      await this.#giveBack();
    }
  }

  #schedule(): void {
    clearTimeout(this.#fenceTimer);
    const { ttlMs } = this.#options;
    const age = performance.now() - this.#renewedAt;
    // One renewal may fail before the lease fences itself.
    this.#renewTimer = setTimeout(
      () => {
        this.#renewing = this.#renew();
      },
      Math.max(0, ttlMs / 3 - age),
    );
    this.#fenceTimer = setTimeout(() => this.#fence(), Math.max(0, (ttlMs * 2) / 3 - age));
  }

  #fence(): void {
    this.#lose("not renewed in time");
  }

  async #renew(): Promise<void> {
    const { bucket, key, value, ttlMs } = this.#options;
    const firstAskedAt = performance.now();
    // A process that was paused comes here before its other timer: it must not ask for more time.
    if (firstAskedAt - this.#renewedAt >= (ttlMs * 2) / 3) {
      this.#fence();
      return;
    }
    while (!this.#lost.signal.aborted) {
      const askedAt = performance.now();
      try {
        const over = { revision: this.#revision, timeoutMs: ttlMs / 6 };
        await this.#renewed(await bucket.renew(key, value, over), askedAt);
        return;
      } catch (error) {
        if (classifyPublishFailure(error) === "refused") {
          this.#lose("the renewal was refused");
        } else if (await this.#readBack(firstAskedAt)) {
          return;
        } else {
          await delay(retryMs);
        }
      }
    }
  }

  async #renewed(revision: number, askedAt: number): Promise<void> {
    this.#revision = revision;
    this.#renewedAt = askedAt;
    if (this.#lost.signal.aborted) {
      // It came too late for the holder, who is gone; nobody else should have to wait for it.
      await this.#giveBack();
    } else {
      this.#schedule();
    }
  }

  /** Finds out whether a renewal without an answer was stored all the same. */
  async #readBack(firstAskedAt: number): Promise<boolean> {
    const { bucket, key, value } = this.#options;
    try {
      const entry = await bucket.read(key);
      if (!entry) {
        this.#lose("it ran out");
      } else if (entry.claim !== value.claim) {
        this.#lose("somebody else took it");
      } else if (entry.revision > this.#revision) {
        // Some attempt since the first one was stored; the first is the one to count from.
        await this.#renewed(entry.revision, firstAskedAt);
        return true;
      }
    } catch {
      // The log cannot be asked: the renewal is tried again until the lease fences itself.
    }
    return false;
  }

  async #giveBack(): Promise<void> {
    try {
      await this.#options.bucket.remove(this.key, this.#revision);
    } catch (error) {
      // Somebody else holds it by now, or the log is away and the lease will run out by itself.
      if (classifyPublishFailure(error) === "refused") {
        throw error;
      }
    }
  }

  #lose(reason: string): void {
    if (this.#lost.signal.aborted) return;
    this.#drop(reason);
    this.#options.onLost();
  }

  #drop(reason: string): void {
    clearTimeout(this.#renewTimer);
    clearTimeout(this.#fenceTimer);
    this.#lost.abort(new Error(`The lease on ${this.key} is gone: ${reason}.`));
  }
}
