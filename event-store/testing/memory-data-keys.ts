/** Fake: keys of text that live in this process only, and are not remembered by anybody after their erasure. */
import { createSecretKey, randomBytes } from "node:crypto";
import type { DataKey, DataKeys, TextOwner } from "../sealing/data-keys.ts";

export interface MemoryDataKeys extends DataKeys {
  erase(owner: TextOwner): void;
}

export const memoryDataKeys = (): MemoryDataKeys => {
  const keys = new Map<string, DataKey | "erased">();
  const nameOf = ({ organization, owner }: TextOwner): string => `${organization}/${owner}`;
  const find = (owner: TextOwner): DataKey | null => {
    const key = keys.get(nameOf(owner));
    return key === undefined || key === "erased" ? null : key;
  };
  return {
    lifetimeMs: 0,
    toSeal: (owner) => {
      if (!keys.has(nameOf(owner))) {
        const id = randomBytes(8).toString("hex");
        keys.set(nameOf(owner), { id, secret: createSecretKey(randomBytes(32)) });
      }
      return Promise.resolve(find(owner));
    },
    toOpen: (owners) => Promise.resolve(owners.map(find)),
    erase: (owner) => {
      keys.set(nameOf(owner), "erased");
    },
  };
};
