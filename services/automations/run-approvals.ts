/**
 * What an unattended run waits for: it is paused when its agent asks for something that a person has to decide
 * on, and told of the decision afterwards, for its agent's turn may be long over by then.
 */
import { isDomainError } from "#contracts/errors";
import { type OrganizationId, type RunId } from "#contracts/ids";
import { finalInvocationStatuses } from "#contracts/invocation/status";
import { agentIntegration } from "#contracts/policy/agent-tools";
import { loadAnyVersion } from "#event-store/aggregates/kept-aggregates";
import { reactionId, startReactor } from "#event-store/workers/reactor";
import type { RecordedCommit } from "#event-store/reading/recorded";
import type { Handled, Worker } from "#event-store/workers/worker";
import { requireInvocation, requireRequest } from "../actions/invocation/invocation-log.ts";
import { keyOf, reactionMeta } from "../actions/invocation/reaction.ts";
import type { KnownInvocation } from "../actions/invocation/state.ts";
import { queuePrompt } from "../sessions/commands.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import { findSession } from "../sessions/session-log.ts";
import type { ExistingSession } from "../sessions/aggregate/state.ts";
import { loadRun, pauseRun, resumeRun } from "./commands.ts";
import { decisionPrompt } from "./decision-prompt.ts";
import type { RunOpenerDeps } from "./run-opener.ts";

const name = "run-approvals";

/** The events with which an invocation begins to wait, if it does, and those that end it. */
const turningPoints = [
  "ActionInvoked",
  "ActionDenied",
  "ActionExpired",
  "ActionCompleted",
  "ActionFailed",
  "OutcomeLost",
] as const;

/** How soon it is looked at again whether the agent's turn has ended, in milliseconds. */
const watchIntervalMs = 2_000;

type RunApprovalsDeps = Omit<RunOpenerDeps, "registry">;

export const startRunApprovals = (deps: RunApprovalsDeps): Promise<Worker> =>
  startReactor(deps.store, {
    name,
    aggregates: ["invocation"],
    events: turningPoints,
    log: deps.log,
    maxAttempts: Number.POSITIVE_INFINITY,
    react: (recorded) => followInvocation(deps, recorded),
  });

interface WaitingRun {
  readonly organization: OrganizationId;
  readonly id: RunId;
}

const followInvocation = async (
  deps: RunApprovalsDeps,
  recorded: RecordedCommit,
): Promise<Handled> => {
  const { store } = deps;
  const { organization, id: invocationId } = keyOf(recorded);
  const key = { organization, id: invocationId };
  const { sessionId } = await requireRequest(store, key);
  const sessionKey = { organization, id: sessionId };
  // Whose session it is never changes, and most are a person's.
  const { state: known } = await loadAnyVersion(store, sessionAggregate, sessionKey);
  if (known.status === "none" || known.origin.kind !== "automation") return;
  const run = { organization, id: known.origin.runId };
  const look = async () => (await requireInvocation(store, key)).state;
  let invocation = await look();
  const meta = (step: string) => reactionMeta(recorded, name, reactionId(recorded, name, step));
  if (invocation.status === "pending") {
    await pauseRun(store, run, invocationId, meta("pause"));
    // Commits come in any order: the decision may have been looked at before there was a pause to end.
    invocation = await look();
  }
  if (!finalInvocationStatuses.includes(invocation.status)) return;
  const session = await findSession(store, { organization, session: sessionId });
  if (!session) return;
  return goOn(deps, { run, session, invocation, recorded });
};

const goOn = async (
  deps: RunApprovalsDeps,
  {
    run,
    session,
    invocation,
    recorded,
  }: {
    readonly run: WaitingRun;
    readonly session: ExistingSession;
    readonly invocation: KnownInvocation;
    readonly recorded: RecordedCommit;
  },
): Promise<Handled> => {
  const { store } = deps;
  const { organization, id: invocationId } = keyOf(recorded);
  const state = await loadRun(store, run);
  if (!("waitingFor" in state) || !state.waitingFor.includes(invocationId)) return;
  const { request } = invocation;
  // Its own tools hold the agent's turn up until they are decided on: it learns by itself.
  const tellsAgent = request.integration !== agentIntegration && session.status !== "stopped";
  // In the middle of a turn the agent waits for the answer itself, and may yet report the run's end.
  if (tellsAgent && session.prompts.length > 0) return { retryInMs: watchIntervalMs };
  const meta = (step: string) => reactionMeta(recorded, name, reactionId(recorded, name, step));
  if (tellsAgent) {
    const prompt = {
      text: decisionPrompt(invocationId, invocation),
      by: run.id,
      idempotencyKey: `decision/${invocationId}`,
    };
    try {
      await queuePrompt(deps, { organization, session: request.sessionId }, prompt, meta("prompt"));
    } catch (error) {
      // Somebody has deleted the session: nobody is left who could go on.
      if (!isDomainError(error, "session_stopped")) throw error;
    }
  }
  // Last, so that a process that dies on the way finds the run still waiting.
  await resumeRun(store, run, invocationId, meta("resume"));
  return;
};
