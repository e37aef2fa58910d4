/**
 * Carries a tool call out once, however often and wherever it arrives: its receipt and its answer are in
 * the log, and a lease keeps two gateways from being at it together.
 */
import { setTimeout as delay } from "node:timers/promises";
import { DomainError, isDomainError } from "#contracts/errors";
import { derivedId, type OrganizationId, type SessionId } from "#contracts/ids";
import type { ToolAnswer } from "#contracts/tools/answer";
import type { ToolName } from "#contracts/tools/registry";
import type { CommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import type { Leases } from "#event-store/leases/leases";
import { loadAggregate } from "#event-store/aggregates/load";
import { fingerprintOf } from "../sessions/fingerprint.ts";
import type { ExistingSession } from "../sessions/aggregate/state.ts";
import type { CheckedCall } from "./check-call.ts";
import { callOf, toolCallsAggregate } from "./decider.ts";
import type { ToolDeps, ToolHandler, ToolHandlers } from "./handler.ts";

export interface RunCallDeps extends ToolDeps {
  readonly handlers: ToolHandlers;
  readonly leases: Leases;
  /** Names this process among the holders of leases. */
  readonly instance: string;
  readonly clock: () => Date;
  /** How long to wait for another gateway that is at the call, in milliseconds. */
  readonly patienceMs?: number;
}

export interface ReceivedCall extends CheckedCall {
  readonly organization: OrganizationId;
  readonly session: SessionId;
  readonly callId: string;
  readonly state: ExistingSession;
}

/** Below the patience of the tool file, which asks again after it. */
const defaultPatienceMs = 100_000;
const pauseMs = 250;

/**
 * @throws DomainError `tool_quota_exceeded`, `idempotency_key_reused`, `tool_call_running` when another
 * gateway is still at it, and what fails for now (status 500 and above); the same call may come again then
 */
export const runCall = async (
  deps: RunCallDeps,
  call: ReceivedCall,
  meta: CommandMeta,
): Promise<ToolAnswer> => {
  const received = await receive(deps, call, meta);
  if (received) return received;
  const deadline = performance.now() + (deps.patienceMs ?? defaultPatienceMs);
  for (;;) {
    const lease = await deps.leases.acquire(toolCallKey(call), deps.instance);
    try {
      const answered = await recordedAnswer(deps, call);
      if (answered) return answered;
      if (lease) return await complete(deps, call, await perform(deps, call, meta), meta);
    } finally {
      await lease?.release();
    }
    if (performance.now() >= deadline) {
      throw new DomainError("tool_call_running", "The call is being carried out elsewhere.");
    }
    await delay(pauseMs);
  }
};

/** Names the call in leases, commands and whatever its handler makes. */
export const toolCallKey = ({
  session,
  callId,
}: Pick<ReceivedCall, "session" | "callId">): string =>
  derivedId("command", "tool-call", session, callId);

/** The answer, if the call came and was answered before. */
const receive = async (
  { store, clock }: RunCallDeps,
  { organization, session, callId, tool, args }: ReceivedCall,
  meta: CommandMeta,
): Promise<ToolAnswer | null> => {
  const { name, toolSchemaVersion, quota } = tool;
  const { state } = await execute(
    store,
    toolCallsAggregate,
    { organization, id: session },
    {
      type: "ReceiveToolCall",
      callId,
      tool: name,
      toolSchemaVersion,
      args,
      fingerprint: fingerprintOf({ name, args }),
      now: clock().toISOString(),
      quota,
    },
    meta,
  );
  return callOf(state, callId)?.answer ?? null;
};

const recordedAnswer = async (
  { store }: RunCallDeps,
  { organization, session, callId }: ReceivedCall,
): Promise<ToolAnswer | null> => {
  const key = { organization, id: session };
  return (
    callOf((await loadAggregate(store, toolCallsAggregate, key)).state, callId)?.answer ?? null
  );
};

const perform = async (
  deps: RunCallDeps,
  call: ReceivedCall,
  meta: CommandMeta,
): Promise<ToolAnswer> => {
  const { organization, session, state, tool, args } = call;
  const key = toolCallKey(call);
  // The tool's own schema has read the arguments; the type of each handler follows from its name.
  const handler = deps.handlers[tool.name] as ToolHandler<ToolName>;
  const own = { ...meta, commandId: key, causationId: meta.commandId };
  const invocation = { organization, session, state, args, key, meta: own };
  try {
    return await handler(deps, invocation);
  } catch (error) {
    if (!isDomainError(error) || error.status >= 500) throw error;
    return { success: false, result: `${error.message} (${error.code})` };
  }
};

/** The answer that counts: another gateway, to which the lease had run over, may have been faster. */
const complete = async (
  { store }: RunCallDeps,
  { organization, session, callId }: ReceivedCall,
  answer: ToolAnswer,
  meta: CommandMeta,
): Promise<ToolAnswer> => {
  const { state } = await execute(
    store,
    toolCallsAggregate,
    { organization, id: session },
    { type: "CompleteToolCall", callId, answer },
    { ...meta, commandId: derivedId("command", meta.commandId, "completed") },
  );
  return callOf(state, callId)?.answer ?? answer;
};
