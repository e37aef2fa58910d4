/**
 * The entries under leases: a key-value bucket whose entries run out by themselves. Reads ask the
 * stream's leader, since a replica that lags may show an entry that has gone.
 */
import { StorageType } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { z } from "zod";
import type { EventStore } from "../event-store.ts";

const valueSchema = z.object({
  instance: z.string(),
  /** Made anew for each acquisition, so that an entry whose answer was lost can be recognised. */
  claim: z.string().default(""),
});
export type LeaseValue = z.infer<typeof valueSchema>;

export interface LeaseEntry extends LeaseValue {
  readonly revision: number;
}

/** Failures of the writing calls are for `classifyPublishFailure`. */
export interface LeaseBucket {
  /** Answers the revision of the new entry. */
  create(key: string, value: LeaseValue): Promise<number>;
  /** Stores the entry again over the given revision; answers the new one. */
  renew(
    key: string,
    value: LeaseValue,
    over: { readonly revision: number; readonly timeoutMs: number },
  ): Promise<number>;
  /** Removes the entry if it still has the revision. */
  remove(key: string, revision: number): Promise<void>;
  /** The entry, or null when there is none or it has run out. */
  read(key: string): Promise<LeaseEntry | null>;
}

export const openLeaseBucket = async (
  { js, jsm, replicas }: EventStore,
  name: string,
  ttlMs: number,
): Promise<LeaseBucket> => {
  const bucket = await new Kvm(js).create(name, {
    ttl: ttlMs,
    replicas,
    storage: StorageType.File,
    history: 1,
  });
  return {
    create: (key, value) => bucket.create(key, JSON.stringify(value)),
    renew: (key, value, { revision, timeoutMs }) =>
      bucket.update(key, JSON.stringify(value), revision, timeoutMs),
    remove: (key, revision) => bucket.delete(key, { previousSeq: revision }),
    read: async (key) => {
      const message = await jsm.streams.getMessage(`KV_${name}`, {
        last_by_subj: `$KV.${name}.${key}`,
      });
      // A deletion is an entry without content.
      return message === null || message.data.byteLength === 0
        ? null
        : { ...valueSchema.parse(message.json()), revision: message.seq };
    },
  };
};
