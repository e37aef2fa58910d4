/** Invocations in the log: how this folder loads them and carries out commands on them. */
import { DomainError } from "#contracts/errors";
import type { InvocationId, OrganizationId } from "#contracts/ids";
import type { InvocationCommand } from "#contracts/invocation/commands";
import type { InvocationEvent } from "#contracts/invocation/events";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute, type Executed, executeOnNew } from "#event-store/aggregates/execute";
import { loadAnyVersion, loadKept } from "#event-store/aggregates/kept-aggregates";
import type { AggregateDefinition } from "#event-store/aggregates/load";
import { invocationDecider } from "./decider.ts";
import type { InvocationRequest, InvocationState, KnownInvocation } from "./state.ts";

/** What an agent wants to do, and what comes of it, belongs to its session. */
const definition: AggregateDefinition<InvocationCommand, InvocationEvent, InvocationState> = {
  aggregate: "invocation",
  decider: invocationDecider,
  textOwner: ({ organization }, state) =>
    state.status === "absent" ? organization : state.request.sessionId,
};

export interface InvocationKey {
  readonly organization: OrganizationId;
  readonly id: InvocationId;
}

export const executeOnInvocation = (
  store: EventStore,
  key: InvocationKey,
  command: InvocationCommand,
  meta: CommandMeta,
): Promise<Executed<InvocationEvent, InvocationState>> =>
  execute(store, definition, key, command, meta);

/** The same for an invocation that nobody has asked for yet. */
export const executeOnNewInvocation = (
  store: EventStore,
  key: InvocationKey,
  command: InvocationCommand,
  meta: CommandMeta,
): Promise<Executed<InvocationEvent, InvocationState>> =>
  executeOnNew(store, definition, key, command, meta);

export interface RecordedInvocation {
  readonly state: KnownInvocation;
  readonly position: Position;
}

/** The invocation as the log has it; null when there is none. */
export const findInvocation = async (
  store: EventStore,
  key: InvocationKey,
): Promise<RecordedInvocation | null> => {
  const { state, position } = await loadKept(store, definition, key);
  return state.status === "absent" || position === null ? null : { state, position };
};

/** @throws DomainError `invocation_not_found` */
export const requireInvocation = async (
  store: EventStore,
  key: InvocationKey,
): Promise<RecordedInvocation> => {
  const found = await findInvocation(store, key);
  if (!found) throw invocationNotFound();
  return found;
};

/**
 * The invocation as this process has seen it last, which costs nothing where it has just asked for it.
 *
 * @throws DomainError `invocation_not_found`
 */
export const recallInvocation = async (
  store: EventStore,
  key: InvocationKey,
): Promise<RecordedInvocation> => {
  const { state, position } = await loadAnyVersion(store, definition, key);
  if (state.status === "absent" || position === null) throw invocationNotFound();
  return { state, position };
};

/** What was asked for. @throws DomainError `invocation_not_found` */
export const requireRequest = async (
  store: EventStore,
  key: InvocationKey,
): Promise<InvocationRequest> => (await recallInvocation(store, key)).state.request;

export const invocationNotFound = (): DomainError =>
  new DomainError("invocation_not_found", "There is no such invocation.");
