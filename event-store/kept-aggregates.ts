/**
 * Aggregates that are loaded many times and seldom change: what was folded is kept in memory, and a load
 * reads only what came after it. As long as nothing came, the state is the same object, so that whatever
 * was made of it can be kept beside it.
 */
import type { EventStore } from "./event-store.ts";
import {
  type AggregateDefinition,
  type AggregateKey,
  loadAggregate,
  loadAgain,
  type LoadedAggregate,
} from "./load.ts";

export interface KeptAggregates<State> {
  /**
   * The aggregate as the log has it.
   *
   * @throws DomainError as {@link loadAggregate}
   */
  load(store: EventStore, key: AggregateKey): Promise<LoadedAggregate<State>>;
}

interface Kept<State> {
  readonly loaded: LoadedAggregate<State>;
  /** When it was folded from the stored text, by `performance.now()`. */
  readonly openedAt: number;
}

/** How many aggregates are kept of each store; those that were loaded longest ago go first. */
const most = 200;

export const keptAggregates = <Command, Event, State>(
  definition: AggregateDefinition<Command, Event, State>,
): KeptAggregates<State> => {
  const stores = new WeakMap<EventStore, Map<string, Kept<State>>>();
  return {
    load: async (store, key) => {
      const keptOf = stores.get(store) ?? new Map<string, Kept<State>>();
      stores.set(store, keptOf);
      const name = `${key.organization}/${key.id}`;
      const before = keptOf.get(name);
      const isFresh = before !== undefined && !mayBeErased(store, before);
      const askedAt = performance.now();
      const loaded = isFresh
        ? await loadAgain(store, definition, key, before.loaded)
        : await loadAggregate(store, definition, key);
      const openedAt = isFresh ? before.openedAt : askedAt;
      // A map keeps the order of insertion: what was loaded last goes to its end.
      keptOf.delete(name);
      if (loaded.sequence > 0) keptOf.set(name, { loaded, openedAt });
      if (keptOf.size > most) {
        const [oldest] = keptOf.keys();
        if (oldest !== undefined) keptOf.delete(oldest);
      }
      return loaded;
    },
  };
};

/** Text must not outlive its key for longer than a key may be remembered. */
const mayBeErased = <State>({ dataKeys }: EventStore, { openedAt }: Kept<State>): boolean =>
  dataKeys !== null && performance.now() - openedAt >= dataKeys.lifetimeMs;
