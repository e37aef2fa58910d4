/**
 * Aggregates as this process has last seen them, so that a command need not read their history again. What
 * is kept may be older than the log; who decides on it has to have that proven, by an append that expects
 * its sequence or by reading on in the log.
 */
import type { AggregateType } from "#contracts/commit";
import type { EventStore } from "../event-store.ts";
import {
  type AggregateDefinition,
  type AggregateKey,
  loadAggregate,
  loadAgain,
  type LoadedAggregate,
} from "./load.ts";

interface Kept {
  /** Another one of the same aggregate makes another state of it. */
  readonly definition: object;
  readonly loaded: LoadedAggregate<unknown>;
  /** By `performance.now()`. */
  readonly usedAt: number;
}

/** How many aggregates are kept of each store, and how many bytes they are made from. */
const most = 2_000;
const mostBytes = 64 * 1024 * 1024;
/** One alone may not push out all others. */
const largestBytes = mostBytes / 8;
/** Text that nobody asks for is not kept for longer, in milliseconds, as far as the store is used at all. */
const idleMs = 10 * 60_000;

/** What is kept of one store; what was used longest ago goes first. */
class KeptOfStore {
  // The order of a map is that of insertion: what was used last goes to its end.
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  get(name: string): Kept | undefined {
    return this.#kept.get(name);
  }

  set(name: string, kept: Kept): void {
    this.delete(name);
    this.#kept.set(name, kept);
    this.#bytes += kept.loaded.bytes;
    for (const [oldest, { usedAt }] of this.#kept) {
      const isFull = this.#kept.size > most || this.#bytes > mostBytes;
      if (!isFull && kept.usedAt - usedAt < idleMs) break;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    const kept = this.#kept.get(name);
    if (!kept) return;
    this.#kept.delete(name);
    this.#bytes -= kept.loaded.bytes;
  }
}

const stores = new WeakMap<EventStore, KeptOfStore>();

const keptOf = (store: EventStore): KeptOfStore => {
  const known = stores.get(store);
  if (known) return known;
  const kept = new KeptOfStore();
  stores.set(store, kept);
  return kept;
};

const nameOf = (aggregate: AggregateType, { organization, id }: AggregateKey): string =>
  `${organization}/${aggregate}/${id}`;

/**
 * What is kept of an aggregate; null for nothing. Text is not kept for longer than its key: what was made
 * from text whose key is gone since is forgotten here.
 *
 * @throws DomainError `log_unavailable` while the keys cannot be read
 */
export const recallAggregate = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
): Promise<LoadedAggregate<State> | null> => {
  const kept = keptOf(store);
  const name = nameOf(definition.aggregate, key);
  const found = kept.get(name);
  if (found?.definition !== definition) return null;
  if (!(await isReadable(store, key, found))) {
    kept.delete(name);
    return null;
  }
  return found.loaded as LoadedAggregate<State>;
};

/** Whether all the keys are there that the text was sealed with; one that was erased is never made anew. */
const isReadable = async (
  { dataKeys }: EventStore,
  { organization }: AggregateKey,
  { loaded: { textOwners } }: Kept,
): Promise<boolean> => {
  if (dataKeys === null || textOwners.size === 0) return true;
  const keys = await dataKeys.toOpen([...textOwners].map((owner) => ({ organization, owner })));
  return keys.every((key) => key !== null);
};

/**
 * The aggregate as it was at some time, for what of it never changes: it is read only where nothing is kept.
 *
 * @throws DomainError as {@link loadAggregate}
 */
export const loadAnyVersion = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
): Promise<LoadedAggregate<State>> =>
  (await recallAggregate(store, definition, key)) ?? loadKept(store, definition, key);

/** Keeps an aggregate as it was loaded or appended to, unless a later state of it is kept already. */
export const keepAggregate = <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
  loaded: LoadedAggregate<State>,
): void => {
  const kept = keptOf(store);
  const name = nameOf(definition.aggregate, key);
  const before = kept.get(name);
  if (before?.definition === definition && before.loaded.sequence > loaded.sequence) return;
  if (loaded.sequence === 0 || loaded.bytes > largestBytes) kept.delete(name);
  else kept.set(name, { definition, loaded, usedAt: performance.now() });
};

/**
 * The aggregate as the log has it, of which only what came since it was kept is read. As long as nothing
 * came, the state is the same object, so that whatever was made of it can be kept beside it.
 *
 * @throws DomainError as {@link loadAggregate}
 */
export const loadKept = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
): Promise<LoadedAggregate<State>> => {
  const before = await recallAggregate(store, definition, key);
  const loaded = before
    ? await loadAgain(store, definition, key, before)
    : await loadAggregate(store, definition, key);
  keepAggregate(store, definition, key, loaded);
  return loaded;
};
