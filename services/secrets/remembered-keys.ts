import type { DataKey, TextOwner } from "#event-store/sealing/data-keys";

/** How many keys are remembered; those that were asked for longest ago are forgotten. */
const most = 10_000;
/** A key that is used after this share of its lifetime is asked for again while it may still be used. */
const refreshedAfter = 0.5;
/** How long nothing is asked for early after that has failed, in milliseconds. */
const refreshPauseMs = 1_000;

interface KeySource {
  /** Of each owner, null where there is none. */
  find(owners: readonly TextOwner[]): Promise<readonly (DataKey | null)[]>;
  findOrMake(owner: TextOwner): Promise<DataKey | null>;
}

interface RememberedKeys {
  toSeal(owner: TextOwner): Promise<DataKey | null>;
  toOpen(owners: readonly TextOwner[]): Promise<readonly (DataKey | null)[]>;
  forget(): void;
}

interface Entry {
  /** When it was about to be asked for: what is answered was true then or later. */
  readonly askedAt: number;
  readonly key: Promise<DataKey | null>;
}

/**
 * Remembers keys for their lifetime, counted from the moment when each was asked for: so no process uses
 * one for longer than that after its erasure. That there is none is not remembered: it may be made next.
 *
 * Keys that are in use are asked for again early, and together: so nobody waits for them, and sessions that
 * began at once do not all ask at once, each on a connection of its own, whenever their keys have grown old.
 */
export const rememberKeys = ({
  lifetimeMs,
  find,
  findOrMake,
}: KeySource & { readonly lifetimeMs: number }): RememberedKeys => {
  const entries = new Map<string, Entry>();
  const aging = new Map<Entry, TextOwner>();
  let refreshing = false;
  let refreshedNotBefore = 0;

  const fresh = (owner: TextOwner): Entry | undefined => {
    const entry = entries.get(nameOf(owner));
    return entry && performance.now() - entry.askedAt < lifetimeMs ? entry : undefined;
  };

  const remember = (owner: TextOwner, entry: Entry): void => {
    const name = nameOf(owner);
    const forget = (): void => {
      if (entries.get(name) === entry) entries.delete(name);
    };
    // Whoever awaits the key hears of a failure, which is no answer to remember.
    entry.key.then((found) => found ?? forget(), forget);
    // The order of a map is that of insertion: the newest go to its end.
    entries.delete(name);
    entries.set(name, entry);
    const [oldest] = entries.keys();
    if (entries.size > most && oldest !== undefined) entries.delete(oldest);
  };

  const refresh = async (): Promise<void> => {
    const due = [...aging];
    aging.clear();
    const askedAt = performance.now();
    try {
      const keys = await find(due.map(([, owner]) => owner));
      for (const [index, [entry, owner]] of due.entries()) {
        // Forgotten, or asked for by somebody else meanwhile.
        if (entries.get(nameOf(owner)) !== entry) continue;
        const key = keys[index];
        if (key) remember(owner, { askedAt, key: Promise.resolve(key) });
        else entries.delete(nameOf(owner));
      }
    } catch {
      // Nobody waits for these. Whoever needs a key when it has grown too old asks, and hears what is wrong.
      refreshedNotBefore = performance.now() + refreshPauseMs;
    }
    refreshing = false;
  };

  const refreshIfAging = (owner: TextOwner, entry: Entry): void => {
    const now = performance.now();
    if (now - entry.askedAt < lifetimeMs * refreshedAfter || now < refreshedNotBefore) return;
    aging.set(entry, owner);
    if (refreshing) return;
    refreshing = true;
    // Whoever else is in use at this moment comes along.
    setImmediate(() => void refresh());
  };

  /** What was remembered may have grown too old, or been asked for anew, while it was waited for. */
  const ifFresh = async (owner: TextOwner): Promise<DataKey | null | undefined> => {
    const entry = fresh(owner);
    if (!entry) return undefined;
    refreshIfAging(owner, entry);
    await entry.key;
    return fresh(owner)?.key;
  };

  return {
    toSeal: async (owner) => {
      const known = await ifFresh(owner);
      if (known) return known;
      const askedAt = performance.now();
      const key = findOrMake(owner);
      remember(owner, { askedAt, key });
      return key;
    },
    toOpen: async (owners) => {
      const known = await Promise.all(owners.map(ifFresh));
      const missing = owners.filter((_, index) => known[index] === undefined);
      if (missing.length === 0) return known.map((key) => key ?? null);
      const askedAt = performance.now();
      const asked = find(missing);
      missing.forEach((owner, index) => {
        remember(owner, { askedAt, key: asked.then((keys) => keys[index] ?? null) });
      });
      const found = new Map(
        (await asked).map((key, index) => [nameOf(missing[index] as TextOwner), key]),
      );
      return owners.map((owner, index) => known[index] ?? found.get(nameOf(owner)) ?? null);
    },
    forget: () => entries.clear(),
  };
};

const nameOf = ({ organization, owner }: TextOwner): string => `${organization}/${owner}`;
