import type { EventStore } from "../event-store.ts";
import { execute } from "../aggregates/execute.ts";
import type { Timer } from "../timers/timers.ts";
import { counter, setMode, testMeta } from "./counter.ts";

/** What a handler of timers does: a command whose id is the firing's, so that it counts once. */
export const recordFiring = async (
  store: EventStore,
  { organization, policy }: { readonly organization: string; readonly policy: string },
  { key, firingId }: Timer,
): Promise<void> => {
  await execute(store, counter, { organization, id: policy }, setMode(key), testMeta(firingId));
};
