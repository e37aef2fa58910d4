/** What agents and people do with invocations. */
import type { ActionDefinition } from "#contracts/actions/definition";
import { DomainError, isDomainError } from "#contracts/errors";
import { derivedId, type InvocationId, newId, type UserId } from "#contracts/ids";
import type { InvocationCommand } from "#contracts/invocation/commands";
import { agentIntegration } from "#contracts/policy/agent-tools";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import { fingerprintOf } from "../sessions/fingerprint.ts";
import { requireConnection } from "../sessions/connections/granted-connections.ts";
import { requireUndeletedSession } from "../sessions/session-log.ts";
import type { ExistingSession } from "../sessions/aggregate/state.ts";
import { requireSameRequest } from "./invocation/decider.ts";
import {
  executeOnInvocation,
  findInvocation,
  invocationNotFound,
  requireInvocation,
} from "./invocation/invocation-log.ts";
import { validateParams } from "./requests/params.ts";
import { type ActionRegistry, requireAction, requireSource } from "./sources/registry.ts";
import { recordInvocation, type RecordInvocationDeps } from "./requests/record-invocation.ts";
import type { SessionKey } from "./requests/session-limits.ts";

export interface ActionCommandsDeps extends RecordInvocationDeps {
  readonly registry: ActionRegistry;
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
 * `connection_not_granted`, `integration_not_found`, `action_not_found`, `action_params_invalid`,
 * `idempotency_key_reused`, `too_many_invocations`, `too_many_pending_invocations`, and `action_failed` when the integration
 * cannot be asked
 */
export const invokeAction = async (
  deps: ActionCommandsDeps,
  request: InvokeRequest,
  meta: CommandMeta,
): Promise<Invoked> => {
  const { organization, sessionId, integration, action, params, idempotencyKey } = request;
  const { session, definition } = await checkRequest(deps, request);
  const fingerprint = fingerprintOf({ integration, action, params });
  const id =
    idempotencyKey === undefined
      ? newId("invocation")
      : derivedId("invocation", organization, sessionId, idempotencyKey);
  const key = { organization, id };
  // One that is in the log already is decided on, and counted, already.
  const known = idempotencyKey === undefined ? null : await findInvocation(deps.store, key);
  if (known) {
    requireSameRequest(known.state, fingerprint);
    return { id, position: known.position };
  }
  const asked = { ...request, id, session, definition, recordedParams: params, fingerprint };
  return { id, position: await recordInvocation(deps, asked, meta) };
};

interface CheckedRequest {
  readonly session: ExistingSession;
  readonly definition: ActionDefinition;
}

const checkRequest = async (
  { store, registry }: ActionCommandsDeps,
  { organization, sessionId, integration, action, params }: InvokeRequest,
): Promise<CheckedRequest> => {
  const session = await requireUndeletedSession(store, { organization, session: sessionId });
  requireConnection(session, integration);
  const source = await requireSource(registry, organization, integration);
  const definition = await requireAction(source, action);
  validateParams(definition, params);
  return { session, definition };
};

export interface Resolution extends SessionKey {
  readonly id: InvocationId;
  readonly by: UserId;
}

/**
 * Lets a waiting invocation run. `always` lets the action run unasked from then on.
 *
 * @throws DomainError `invocation_not_found`, `invocation_already_resolved`, `invocation_expired`, and
 * `action_params_invalid` for an edit that the action does not take
 */
export const approveInvocation = async (
  deps: ActionCommandsDeps,
  resolution: Resolution & {
    readonly scope: "once" | "always";
    /** In the place of what was asked for; null to leave it. */
    readonly editedParams: Readonly<Record<string, unknown>> | null;
  },
  meta: CommandMeta,
): Promise<Position> => {
  const { by, scope, editedParams } = resolution;
  if (editedParams) await checkEdit(deps, resolution, editedParams);
  const now = nowOf(deps);
  return resolve(deps, resolution, { type: "ApproveAction", by, scope, editedParams, now }, meta);
};

/** What an approver writes is checked as what an agent writes. */
const checkEdit = async (
  { store, registry }: ActionCommandsDeps,
  { organization, id }: Resolution,
  editedParams: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const { integration, action } = (await requireInvocation(store, { organization, id })).state
    .request;
  if (integration === agentIntegration) {
    throw new DomainError(
      "action_params_invalid",
      "What an agent's own tool does cannot be changed; deny it with a reason instead.",
    );
  }
  const source = await requireSource(registry, organization, integration);
  validateParams(await requireAction(source, action), editedParams);
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
