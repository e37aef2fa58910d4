/** What agents and people do with invocations. */
import { DomainError, isDomainError } from "#contracts/errors";
import { derivedId, type InvocationId, newId, type UserId } from "#contracts/ids";
import type { InvocationCommand } from "#contracts/invocation/commands";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { loadPolicy } from "../policy/commands.ts";
import { resolveMode } from "../policy/modes.ts";
import { fingerprintOf } from "../sessions/fingerprint.ts";
import { approvalLifetimeMs } from "./expiry.ts";
import {
  executeOnInvocation,
  findInvocation,
  invocationNotFound,
  requireInvocation,
} from "./invocation-log.ts";
import { validateParams } from "./params.ts";
import type { PendingLimit, SessionKey } from "./pending-limit.ts";
import { type ActionRegistry, requireAction, requireSource } from "./registry.ts";
import { requireSession } from "./session-lookup.ts";

export interface ActionCommandsDeps {
  readonly store: EventStore;
  readonly registry: ActionRegistry;
  readonly pendingLimit: PendingLimit;
  readonly clock: () => Date;
}

export interface InvokeRequest extends SessionKey {
  readonly integration: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The same key in the same session is the same invocation. */
  readonly idempotencyKey: string | undefined;
}

export interface Invoked {
  readonly id: InvocationId;
  readonly position: Position;
}

/**
 * Asks for an action. Whether it runs, waits or is refused is in the log afterwards; the executor
 * takes it from there.
 *
 * @throws DomainError, before anything is written: `session_not_found`, `session_stopped`,
 * `integration_not_found`, `action_not_found`, `action_params_invalid`, `idempotency_key_reused`,
 * `too_many_pending_invocations`, and `action_failed` when the integration cannot be asked
 */
export const invokeAction = async (
  deps: ActionCommandsDeps,
  request: InvokeRequest,
  meta: CommandMeta,
): Promise<Invoked> => {
  const { organization, sessionId, idempotencyKey } = request;
  const command = await checkedCommand(deps, request);
  const id =
    idempotencyKey === undefined
      ? newId("invocation")
      : derivedId("invocation", organization, sessionId, idempotencyKey);
  const key = { organization, id };
  const append = async (): Promise<Invoked> => {
    const { position } = await executeOnInvocation(deps.store, key, command, meta);
    return { id, position };
  };
  // One that is in the log already takes no room.
  const isNew = idempotencyKey === undefined || (await findInvocation(deps.store, key)) === null;
  return command.mode === "require_approval" && isNew
    ? deps.pendingLimit.admit({ organization, sessionId }, append)
    : append();
};

type InvokeCommand = Extract<InvocationCommand, { type: "InvokeAction" }>;

const checkedCommand = async (
  { store, registry, clock }: ActionCommandsDeps,
  { organization, sessionId, integration, action, params }: InvokeRequest,
): Promise<InvokeCommand> => {
  const session = await requireSession(store, { organization, sessionId });
  if (session.status === "stopped") {
    throw new DomainError("session_stopped", "The session has been deleted.", {
      fields: { sessionId },
    });
  }
  const source = await requireSource(registry, organization, integration);
  const definition = await requireAction(source, action);
  validateParams(definition, params);
  const { risk } = definition;
  const resolved = resolveMode(await loadPolicy(store, organization), {
    integration,
    action,
    risk,
  });
  const expiresAt = new Date(clock().getTime() + approvalLifetimeMs[session.origin.kind]);
  return {
    type: "InvokeAction",
    sessionId,
    integration,
    action,
    params,
    risk,
    mode: resolved.mode,
    modeSource: resolved.source,
    expiresAt: resolved.mode === "require_approval" ? expiresAt.toISOString() : null,
    fingerprint: fingerprintOf({ integration, action, params }),
  };
};

export interface Resolution extends SessionKey {
  readonly id: InvocationId;
  readonly by: UserId;
}

/**
 * Lets a waiting invocation run. `always` lets the action run unasked from then on.
 *
 * @throws DomainError `invocation_not_found`, `invocation_already_resolved`, `invocation_expired`
 */
export const approveInvocation = (
  deps: ActionCommandsDeps,
  resolution: Resolution & { readonly scope: "once" | "always" },
  meta: CommandMeta,
): Promise<Position> => {
  const { by, scope } = resolution;
  return resolve(deps, resolution, { type: "ApproveAction", by, scope, now: nowOf(deps) }, meta);
};

/** @throws DomainError as {@link approveInvocation} */
export const denyInvocation = (
  deps: ActionCommandsDeps,
  resolution: Resolution & { readonly reason: string },
  meta: CommandMeta,
): Promise<Position> => {
  const { by, reason } = resolution;
  return resolve(deps, resolution, { type: "DenyAction", by, reason, now: nowOf(deps) }, meta);
};

const nowOf = ({ clock }: ActionCommandsDeps): string => clock().toISOString();

type Resolve = Extract<InvocationCommand, { type: "ApproveAction" | "DenyAction" }>;

const resolve = async (
  { store }: ActionCommandsDeps,
  { organization, sessionId, id }: Resolution,
  command: Resolve,
  meta: CommandMeta,
): Promise<Position> => {
  const key = { organization, id };
  const { state } = await requireInvocation(store, key);
  if (state.request.sessionId !== sessionId) throw invocationNotFound();
  try {
    return (await executeOnInvocation(store, key, command, meta)).position;
  } catch (error) {
    if (isDomainError(error, "invocation_expired")) {
      // The timer would record it too, a little later; who asks next shall see it at once.
      const expiry = { ...meta, commandId: newId("command"), causationId: meta.commandId };
      await executeOnInvocation(store, key, { type: "ExpireAction", now: command.now }, expiry);
    }
    throw error;
  }
};
