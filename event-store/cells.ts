/**
 * Cells: small JSON values that many processes change, each change made on the newest value. For what must
 * be exact now and need not be remembered: entries go by themselves when nobody has changed them for long.
 */
import { setTimeout as delay } from "node:timers/promises";
import { StorageType } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { EventStore } from "./event-store.ts";
import { classifyPublishFailure } from "./publish-outcome.ts";

export interface Cells<T> {
  /**
   * Puts what `decide` answers in the place of the value, unless somebody else has changed it meanwhile:
   * then it is decided again. Answers the value that was put. What `decide` throws is passed on, and
   * nothing is changed. When an answer gets lost, a change that was made is decided on again, so the same
   * change must be recognised in the value.
   *
   * @param decide pure; gets null for a cell without a value
   * @throws DomainError `concurrency_conflict` when others keep coming first, `log_unavailable`
   */
  change(key: string, decide: (value: T | null) => T): Promise<T>;
}

export interface CellsOptions<T> {
  /** Names the bucket: letters, digits, `-` and `_`. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** How long a value stays that nobody changes, in milliseconds. */
  readonly ttlMs: number;
}

const maxAttempts = 50;
const longestPauseMs = 50;

/** Of how many cells the newest value that was seen is remembered. */
const mostRemembered = 1_000;

interface Seen<T> {
  readonly value: T | null;
  readonly revision: number;
}

export const openCells = async <T>(
  { js, jsm, replicas }: EventStore,
  { name, schema, ttlMs }: CellsOptions<T>,
): Promise<Cells<T>> => {
  const bucket = await new Kvm(js).create(name, {
    ttl: ttlMs,
    replicas,
    storage: StorageType.File,
    history: 1,
  });
  // From the stream's leader: a replica that lags would only cost another attempt, but each of them.
  const read = async (key: string): Promise<Seen<T>> => {
    const message = await jsm.streams.getMessage(`KV_${name}`, {
      last_by_subj: `$KV.${name}.${key}`,
    });
    return message === null
      ? { value: null, revision: 0 }
      : { value: schema.parse(message.json()), revision: message.seq };
  };
  const remembered = new Map<string, Seen<T>>();
  const remember = (key: string, seen: Seen<T>): void => {
    remembered.delete(key);
    remembered.set(key, seen);
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size > mostRemembered) remembered.delete(oldest);
  };
  /** Answers why not when the cell does not have the value any more that was seen; null when it was put. */
  const put = async (key: string, value: T, { revision }: Seen<T>): Promise<Error | null> => {
    try {
      const next = await bucket.put(key, JSON.stringify(value), { previousSeq: revision });
      remember(key, { value, revision: next });
      return null;
    } catch (error) {
      remembered.delete(key);
      if (!(error instanceof Error) || classifyPublishFailure(error) === "refused") throw error;
      return error;
    }
  };
  return {
    change: async (key, decide) => {
      const seen = remembered.get(key);
      const first = seen && decidedOn(seen, decide);
      if (seen && first && (await put(key, first.value, seen)) === null) return first.value;
      for (let attempt = 1; ; attempt += 1) {
        const newest = await read(key);
        const value = decide(newest.value);
        const failure = await put(key, value, newest);
        if (failure === null) return value;
        if (attempt === maxAttempts) throw keptLosing(key, failure);
        await delay(Math.random() * longestPauseMs);
      }
    },
  };
};

/** What is decided on a value that may be old; null for a refusal, perhaps of what is no longer so. */
const decidedOn = <T>(
  { value }: Seen<T>,
  decide: (value: T | null) => T,
): { readonly value: T } | null => {
  try {
    return { value: decide(value) };
  } catch {
    return null;
  }
};

const keptLosing = (key: string, cause: unknown): DomainError =>
  new DomainError("concurrency_conflict", "Others keep changing the same value.", {
    fields: { key },
    cause,
  });
