/** Brings a session's sandbox up, and opens the conversation with the agent in it. */
import { DomainError, isDomainError } from "#contracts/errors";
import type { Failure } from "#contracts/session/events";
import { loadAggregate } from "#event-store/load";
import { openOpencodeClient, type OpencodeClient } from "#sandbox/opencode/client";
import type { ToolPermissions } from "#sandbox/provider/spec";
import type { RunningSandbox } from "#sandbox/provider/sandbox";
import type { ExistingSession } from "../sessions/state.ts";
import { transcriptAggregate } from "../sessions/transcript-decider.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import { memoryOf, readTranscript } from "./memory.ts";
import type { OwnerContext } from "./owner-context.ts";
import { sandboxRefOf } from "./sandbox-ref.ts";

export interface BroughtUp {
  readonly conversation: Conversation;
  readonly sandbox: RunningSandbox;
  /** Which tools the agent was told to ask for, when it was started. */
  readonly toolPermissions: ToolPermissions | null;
}

/**
 * @throws DomainError `sandbox_boot_failed` and others of the provider and the agent, after which the
 * sandbox is not to be used; `stale_owner`
 */
export const bringUp = async (
  context: OwnerContext,
  state: ExistingSession,
  signal: AbortSignal,
): Promise<BroughtUp> => {
  const { organization, session, epoch, deps, tell } = context;
  const startedAt = performance.now();
  await context.command({ type: "StartSandbox", epoch, provider: deps.provider.type });
  tell({ type: "status", status: "starting", detail: null });
  const toolPermissions = await deps.agentTools.permissions({ organization, sessionId: session });
  const sandbox = await deps.provider.ensureSandbox({
    ...sandboxRefOf(session, state),
    spec: {
      ...deps.specOf({ organization, session }, state),
      ...(toolPermissions && { toolPermissions }),
    },
    signal,
    onStage: (report) => tell({ type: "boot_stage", phase: "essential", ...report }),
    onAdditionalStage: (report) => {
      // What there was nothing to do for is no news to people.
      if (report.outcome !== "skipped") {
        tell({ type: "boot_stage", phase: "additional", ...report });
      }
      if (report.outcome === "failed") {
        deps.log.warn({ sessionId: session, ...report }, "an additional boot stage has failed");
      }
    },
  });
  for (const warning of sandbox.warnings) {
    await context.command({ type: "ReportSandboxWarning", epoch, warning });
    tell({ type: "sandbox_warning", warning });
  }
  const client = openOpencodeClient(sandbox.opencode);
  const agentSessionId = await agentSessionOf(context, client, state);
  const transcript = await loadAggregate(deps.store, transcriptAggregate, {
    organization,
    id: session,
  });
  const conversation = await openConversation(context, {
    client,
    agentSessionId,
    recorded: new Set(Object.keys(transcript.state.digests)),
    isGone: () => isGone(context, sandbox),
    earlierPrompts: state.prompts.map(({ promptId }) => promptId),
  });
  await context.command({
    type: "ReportSandboxReady",
    epoch,
    sandboxId: sandbox.sandboxId,
    agentSessionId,
    bootMs: Math.round(performance.now() - startedAt),
  });
  tell({ type: "status", status: "running", detail: null });
  return { conversation, sandbox, toolPermissions };
};

/** A provider that cannot be asked has not said so: then the agent is waited for. */
const isGone = async (
  { deps: { provider, log }, session }: OwnerContext,
  { sandboxId }: RunningSandbox,
): Promise<boolean> => {
  try {
    const health = await provider.health({ sessionId: session, sandboxId, snapshotId: null });
    return health.state !== "running";
  } catch (error) {
    log.warn({ err: error, sessionId: session }, "the health of a sandbox is not known");
    return false;
  }
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
