import type { OrganizationId, SessionId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import type { Leases } from "#event-store/leases/leases";
import { loadAggregate } from "#event-store/aggregates/load";
import { isWatched } from "#event-store/live/watch-presence";
import { toolCallsAggregate } from "../../tools/decider.ts";
import { toolCallKey } from "../../tools/run-call.ts";

/** Whether somebody watches the session, or a tool call of its agent is being carried out. */
export const isInUse = async (
  { store, leases }: { readonly store: EventStore; readonly leases: Leases },
  { organization, session }: { readonly organization: OrganizationId; readonly session: SessionId },
): Promise<boolean> => {
  if (await isWatched(store, session)) return true;
  const key = { organization, id: session };
  const { state } = await loadAggregate(store, toolCallsAggregate, key);
  for (const { callId, answer } of state.calls) {
    // A call without an answer may be one whose gateway died; whoever is at one holds its lease.
    if (answer === null && (await leases.holder(toolCallKey({ session, callId })))) return true;
  }
  return false;
};
