/** Keeps a result whole that the log holds only in part, where the organisation wants that. */
import type { FullResult } from "#contracts/invocation/full-result";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { loadPolicy } from "../../policy/commands.ts";
import { unlessAborted } from "../../unless-aborted.ts";
import type { Json } from "../execution/redact-result.ts";
import { scheduleRemoval } from "./expiry.ts";
import type { FullResultKey, FullResultTable } from "./full-result-table.ts";

/** The longest result that is kept, in bytes of its JSON. */
export const maxFullResultBytes = 5 * 1024 * 1024;
/** How long it is kept. */
export const fullResultLifetimeMs = 7 * 24 * 3_600_000;

/**
 * Keeps a result that was cut, without its secrets. It never throws, because the action is done by then
 * and its outcome must be recorded. Null where the organisation wants none kept.
 */
export type KeepFullResult = (key: FullResultKey, whole: Json) => Promise<FullResult | null>;

export interface KeepFullResultDeps {
  readonly store: EventStore;
  readonly table: Pick<FullResultTable, "put">;
  readonly clock: () => Date;
  readonly log: Log;
  /** How long the outcome of an action may be held up, in milliseconds. */
  readonly timeoutMs?: number;
  readonly lifetimeMs?: number;
}

export const createKeepFullResult = (deps: KeepFullResultDeps): KeepFullResult => {
  const { timeoutMs = 10_000 } = deps;
  return async (key, whole) => {
    try {
      return await unlessAborted(keep(deps, key, whole), AbortSignal.timeout(timeoutMs));
    } catch (error) {
      deps.log.warn({ err: error, invocation: key.id }, "a full result could not be kept");
      return { status: "failed" };
    }
  };
};

const keep = async (
  { store, table, clock, lifetimeMs = fullResultLifetimeMs }: KeepFullResultDeps,
  key: FullResultKey,
  whole: Json,
): Promise<FullResult | null> => {
  if (!(await loadPolicy(store, key.organization)).keepsFullResults) return null;
  const text = JSON.stringify(whole);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxFullResultBytes) return { status: "too_large", bytes };
  const until = new Date(clock().getTime() + lifetimeMs);
  // First of all: whatever is kept has somebody who removes it, wherever this process dies.
  await scheduleRemoval(store, key, until);
  const kept = await table.put(key, text, until);
  return kept ? { status: "kept", attempt: key.attempt, bytes, until: until.toISOString() } : null;
};
