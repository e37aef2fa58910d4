/** Brings a session's sandbox up, and opens the conversation with the agent in it. */
import { DomainError, isDomainError } from "#contracts/errors";
import type { Failure } from "#contracts/session/events";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import type { OpencodeClient } from "#sandbox/opencode/client";
import type { ToolPermissions } from "#sandbox/provider/spec";
import type { RunningSandbox } from "#sandbox/provider/sandbox";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import type { Conversation } from "../agent/conversation.ts";
import { expiryOf } from "./expiry.ts";
import { followAgent, openAgent } from "../agent/follow-agent.ts";
import { memoryOf, readTranscript } from "../agent/memory.ts";
import type { OwnerContext } from "../owner-context.ts";
import { sandboxRefOf } from "./sandbox-ref.ts";
import { specNow } from "./sandbox-spec.ts";
import { tellBoot } from "./tell-boot.ts";
import { withinTime } from "../within-time.ts";

export interface BroughtUp {
  readonly conversation: Conversation;
  readonly sandbox: RunningSandbox;
  /** Which tools the agent was told to ask for, when it was started. */
  readonly toolPermissions: ToolPermissions | null;
}

export interface BringUp {
  /** Whether this owner had a conversation with the agent that broke off. */
  readonly wasLost: boolean;
  readonly signal: AbortSignal;
}

/**
 * @throws DomainError `sandbox_boot_failed` and others of the provider and the agent, after which the
 * sandbox is not to be used; `stale_owner`
 */
export const bringUp = async (
  context: OwnerContext,
  state: ExistingSession,
  { wasLost, signal }: BringUp,
): Promise<BroughtUp> => {
  const late = (): DomainError =>
    new DomainError("sandbox_start_timed_out", "The sandbox did not come up in time.");
  return withinTime({ ms: context.limits.startMs, signal, late }, (limit) =>
    start(context, state, { wasLost, signal: limit }),
  );
};

const start = async (
  context: OwnerContext,
  state: ExistingSession,
  { wasLost, signal }: BringUp,
): Promise<BroughtUp> => {
  const { session, epoch, deps, tell } = context;
  const startedAt = performance.now();
  await context.command({ type: "StartSandbox", epoch, provider: deps.provider.type });
  tell({ type: "status", status: "starting", detail: null });
  const ref = sandboxRefOf(session, state);
  const { spec, toolPermissions } = await specNow(context, state);
  const sandbox = await deps.provider.ensureSandbox({
    ...ref,
    spec,
    signal,
    ...tellBoot(context),
  });
  for (const warning of warningsOf(sandbox, wasLost)) {
    await context.command({ type: "ReportSandboxWarning", epoch, warning });
    tell({ type: "sandbox_warning", warning });
  }
  const agent = openAgent(sandbox.opencode);
  const agentSessionId = await agentSessionOf(context, agent.client, state);
  signal.throwIfAborted();
  const { sandboxId } = sandbox;
  const { prompts } = state;
  const conversation = await followAgent(context, {
    sandbox: { ...ref, sandboxId },
    agent,
    agentSessionId,
    prompts,
  });
  try {
    signal.throwIfAborted();
    const bootMs = Math.round(performance.now() - startedAt);
    const expiresAt = expiryOf(sandbox);
    const ready = { epoch, sandboxId, agentSessionId, bootMs, expiresAt };
    await context.command({ type: "ReportSandboxReady", ...ready });
  } catch (error) {
    await conversation.close();
    throw error;
  }
  tell({ type: "status", status: "running", detail: null });
  return { conversation, sandbox, toolPermissions };
};

/** People see that an answer was broken off by the agent's end, unless they are told of worse. */
const warningsOf = (
  { origin, warnings }: RunningSandbox,
  wasLost: boolean,
): readonly SandboxWarning[] =>
  wasLost && origin !== "attached" && warnings.length === 0 ? [agentRestarted] : warnings;

const agentRestarted: SandboxWarning = {
  code: "agent_restarted",
  message: "The agent's server had ended; it was started again.",
};

/**
 * The conversation that the agent still has, or a new one that begins with a record of the session. Its id
 * is stored only later: whoever dies in here leaves a conversation that nobody goes on with.
 */
const agentSessionOf = async (
  { deps, organization, session }: OwnerContext,
  client: OpencodeClient,
  state: ExistingSession,
): Promise<string> => {
  const known = state.agentSessionId && (await client.getSession(state.agentSessionId));
  if (known) return known.id;
  const { id } = await client.createSession(state.title);
  const messages = await readTranscript(deps.store, { organization, session });
  const memory = memoryOf(messages, new Set(state.prompts.map(({ promptId }) => promptId)));
  if (memory !== null) await client.addContext(id, memory);
  return id;
};

/** How an error stands in the log: its code, and what people may read of it. */
export const failureOf = (error: unknown): Failure =>
  error instanceof DomainError
    ? { code: error.code, message: error.message.slice(0, 2000) }
    : { code: "internal", message: "Something went wrong inside the runner." };

/** Whether an error says that the session has another owner, or needs none. */
export const isStale = (error: unknown): boolean =>
  isDomainError(error, "stale_owner") || isDomainError(error, "session_stopped");
