/**
 * Where an agent's own tools ask for leave: each question is an invocation, decided on by the same rules,
 * waiting in the same inbox and kept in the same log as what reaches outside. It is the session's owner that
 * lets the tool run, so it also says here that it did.
 */
import type { ToolAsk } from "#contracts/agent";
import { assertNever } from "#contracts/assert-never";
import { isDomainError } from "#contracts/errors";
import { derivedId, type InvocationId } from "#contracts/ids";
import type { InvocationCommand } from "#contracts/invocation/commands";
import { agentIntegration, agentToolDefinition } from "#contracts/policy/agent-tools";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import type { ToolPermissions } from "#sandbox/provider/spec";
import { triggerOfSession } from "../../policy/deciding/ask-policy.ts";
import { loadPolicy } from "../../policy/commands.ts";
import { toolPermissions } from "../../policy/deciding/tool-permissions.ts";
import { fingerprintOf } from "../../sessions/fingerprint.ts";
import { policyActor } from "../invocation/decider.ts";
import {
  executeOnInvocation,
  findInvocation,
  requireInvocation,
} from "../invocation/invocation-log.ts";
import { recordInvocation, type RecordInvocationDeps } from "../requests/record-invocation.ts";
import { requireSession } from "../../sessions/session-log.ts";
import type { SessionKey } from "../requests/session-limits.ts";
import type { KnownInvocation } from "../invocation/state.ts";
import { recordableParams } from "./recordable-params.ts";

export type ToolVerdict =
  | { readonly kind: "waiting" }
  | { readonly kind: "allowed" }
  /** With what the agent is told. */
  | { readonly kind: "refused"; readonly reason: string };

export interface AgentToolDesk {
  /** Which tools of the session's agent ask, by the policy as it is now; null where none does. */
  permissions(session: SessionKey): Promise<ToolPermissions | null>;
  /**
   * How a question stands; it is recorded when it comes for the first time. Safe to repeat, by any owner.
   *
   * @throws DomainError `log_unavailable` and others of the log, after which it may be asked again
   */
  judge(session: SessionKey, ask: ToolAsk): Promise<ToolVerdict>;
  /** Before the tool is let run; false if somebody has tried that before. */
  begin(session: SessionKey, ask: ToolAsk): Promise<boolean>;
  /**
   * After it was let run. `gone`: it did not wait any more; `unknown`: nor did it, but it may have been let run
   * by the attempt before.
   */
  end(session: SessionKey, ask: ToolAsk, outcome: ToolRelease): Promise<void>;
  /** The tool does not wait any more, and nobody has let it run. */
  withdraw(session: SessionKey, ask: ToolAsk): Promise<void>;
}

type ToolRelease = "released" | "gone" | "unknown";

const withdrawn = "The agent went on without the tool.";

export const openAgentToolDesk = (deps: RecordInvocationDeps): AgentToolDesk => {
  const { store, clock } = deps;
  const attempt = (session: SessionKey, ask: ToolAsk, command: InvocationCommand) =>
    tryCommand(store, session, invocationOf(session, ask), command);
  return {
    permissions: async (session) => {
      const { organization, sessionId } = session;
      const [policy, triggerId] = await Promise.all([
        loadPolicy(store, organization),
        requireSession(store, { organization, session: sessionId }).then((state) =>
          triggerOfSession(store, organization, state),
        ),
      ]);
      return toolPermissions(policy, { sessionId, triggerId, now: clock().toISOString() });
    },
    judge: async (session, ask) => {
      const id = invocationOf(session, ask);
      const key = { organization: session.organization, id };
      const known = await findInvocation(store, key);
      if (known) return verdictOf(known.state);
      try {
        await record(deps, session, { ask, id });
      } catch (error) {
        if (!isLimit(error)) throw error;
        return { kind: "refused", reason: error.message };
      }
      return verdictOf((await requireInvocation(store, key)).state);
    },
    begin: (session, ask) => attempt(session, ask, { type: "StartExecution" }),
    end: async (session, ask, outcome) => {
      await attempt(session, ask, releaseCommands[outcome]);
    },
    withdraw: async (session, ask) => {
      const id = invocationOf(session, ask);
      const now = clock().toISOString();
      await attempt(session, ask, { type: "DenyAction", by: policyActor, reason: withdrawn, now });
      await withdrawApproved(store, session, id);
    },
  };
};

const releaseCommands: Readonly<Record<ToolRelease, InvocationCommand>> = {
  // What the tool then did is in the transcript.
  released: {
    type: "CompleteAction",
    result: null,
    truncated: false,
    fullResult: null,
    durationMs: 0,
  },
  gone: { type: "FailAction", failure: { code: "agent_tool_gone", message: withdrawn } },
  unknown: {
    type: "LoseOutcome",
    reason: "The tool may have run: the runner could not hear that it did. The transcript tells.",
  },
};

const invocationOf = ({ organization, sessionId }: SessionKey, { id }: ToolAsk): InvocationId =>
  derivedId("invocation", organization, sessionId, agentIntegration, id);

const record = async (
  deps: RecordInvocationDeps,
  key: SessionKey,
  { ask, id }: { readonly ask: ToolAsk; readonly id: InvocationId },
): Promise<void> => {
  const params = { ...ask.metadata, patterns: ask.patterns };
  await recordInvocation(
    deps,
    {
      ...key,
      id,
      session: await requireSession(deps.store, {
        organization: key.organization,
        session: key.sessionId,
      }),
      integration: agentIntegration,
      definition: agentToolDefinition(ask.tool.slice(0, 100)),
      params,
      recordedParams: recordableParams(params),
      fingerprint: fingerprintOf({ tool: ask.tool, params }),
    },
    newCommandMeta({
      actor: { kind: "sandbox", id: key.sessionId, via: "runner" },
      correlationId: key.sessionId,
    }),
  );
};

const isLimit = (error: unknown): error is Error =>
  isDomainError(error, "too_many_invocations") ||
  isDomainError(error, "too_many_pending_invocations");

/** An approved invocation whose tool waits no more can only fail; one that was begun may have run. */
export const withdrawApproved = async (
  store: EventStore,
  session: SessionKey,
  id: InvocationId,
): Promise<void> => {
  const found = await findInvocation(store, { organization: session.organization, id });
  if (found?.state.status === "approved") {
    await tryCommand(store, session, id, { type: "StartExecution" });
    await tryCommand(store, session, id, releaseCommands.gone);
  } else if (found?.state.status === "executing") {
    await tryCommand(store, session, id, releaseCommands.unknown);
  }
};

/** False for what is so already or cannot be any more: the log has the last word. */
const tryCommand = async (
  store: EventStore,
  { organization, sessionId }: SessionKey,
  id: InvocationId,
  command: InvocationCommand,
): Promise<boolean> => {
  const meta = newCommandMeta({
    actor: { kind: "service", id: "agent-tools", via: "runner" },
    correlationId: sessionId,
  });
  try {
    await executeOnInvocation(store, { organization, id }, command, meta);
    return true;
  } catch (error) {
    const settled =
      isDomainError(error, "invocation_already_resolved") ||
      isDomainError(error, "invocation_expired") ||
      isDomainError(error, "invocation_not_found");
    if (!settled) throw error;
    return false;
  }
};

const verdictOf = (state: KnownInvocation): ToolVerdict => {
  switch (state.status) {
    case "pending":
      return { kind: "waiting" };
    case "approved":
    case "executing":
    case "completed":
      return { kind: "allowed" };
    case "denied":
      return { kind: "refused", reason: refusal(state) };
    case "expired":
      return { kind: "refused", reason: "Nobody approved the tool in time. Go on without it." };
    case "failed":
      return { kind: "refused", reason: state.failure.message };
    case "outcome_unknown":
      return { kind: "refused", reason: state.reason };
    default:
      return assertNever(state);
  }
};

const refusal = ({ by, reason }: { readonly by: string; readonly reason: string }): string => {
  if (by === policyActor) return "The organisation's policy refuses this. Go on without it.";
  return reason === "" ? "A person has refused this. Go on without it." : reason;
};
