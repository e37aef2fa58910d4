/** How an action that somebody asks for comes into the log: counted, decided on, recorded. */
import type { ActionDefinition } from "#contracts/actions/definition";
import type { InvocationId, TriggerId } from "#contracts/ids";
import type { InvocationCommand } from "#contracts/invocation/commands";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { askedOf, triggerOfSession } from "../../policy/deciding/ask-policy.ts";
import type { RuleBudgets } from "../../policy/budgets/budgets.ts";
import { loadPolicy } from "../../policy/commands.ts";
import type { DecidedMode } from "../../policy/deciding/decide-mode.ts";
import { settleMode } from "../../policy/deciding/settle-mode.ts";
import type { PolicyState } from "../../policy/aggregate/state.ts";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import { approvalLifetimeMs } from "../reactors/expiry.ts";
import { executeOnNewInvocation } from "../invocation/invocation-log.ts";
import type { SessionKey, SessionLimits } from "./session-limits.ts";

export interface RecordInvocationDeps {
  readonly store: EventStore;
  readonly limits: SessionLimits;
  readonly budgets: RuleBudgets;
  readonly clock: () => Date;
}

export interface AskedInvocation extends SessionKey {
  readonly id: InvocationId;
  readonly session: ExistingSession;
  readonly integration: string;
  readonly definition: ActionDefinition;
  /** What is decided on. */
  readonly params: Readonly<Record<string, unknown>>;
  /** What stands in the log of them. */
  readonly recordedParams: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
}

/**
 * Records an invocation that is not in the log yet, with what policy makes of it.
 *
 * @throws DomainError `too_many_invocations`, `too_many_pending_invocations`, `idempotency_key_reused`
 */
export const recordInvocation = async (
  deps: RecordInvocationDeps,
  asked: AskedInvocation,
  meta: CommandMeta,
): Promise<Position> => {
  const { organization, sessionId, id, session, integration, definition, fingerprint } = asked;
  // The policy is read, which changes nothing, while the call is counted.
  const [policy, triggerId] = await Promise.all([
    loadPolicy(deps.store, organization),
    triggerOfSession(deps.store, organization, session),
    deps.limits.countCall(asked, id),
  ]);
  const { mode, source, rule, drifted } = await decideOn(deps, asked, { policy, triggerId, meta });
  if (mode === "require_approval") await deps.limits.takePlace(asked, id);
  const expiresAt = new Date(deps.clock().getTime() + approvalLifetimeMs[session.origin.kind]);
  const command: InvocationCommand = {
    type: "InvokeAction",
    sessionId,
    integration,
    action: definition.id,
    params: asked.recordedParams,
    risk: definition.risk,
    mode,
    modeSource: source,
    ruleId: rule?.id ?? null,
    drifted,
    expiresAt: mode === "require_approval" ? expiresAt.toISOString() : null,
    fingerprint,
  };
  return (await executeOnNewInvocation(deps.store, { organization, id }, command, meta)).position;
};

const decideOn = (
  { budgets, clock }: RecordInvocationDeps,
  { organization, sessionId, id, integration, definition, params }: AskedInvocation,
  {
    policy,
    triggerId,
    meta,
  }: {
    readonly policy: PolicyState;
    readonly triggerId: TriggerId | null;
    readonly meta: CommandMeta;
  },
): Promise<DecidedMode> => {
  const asked = askedOf({ integration, definition, params, sessionId, triggerId, now: clock() });
  return settleMode(budgets, { organization, invocationId: id, policy, asked }, meta);
};
