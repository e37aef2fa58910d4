import { assertNever } from "#contracts/assert-never";
import type { SessionEvent } from "#contracts/session/events";
import { fingerprintOf } from "../fingerprint.ts";
import { evolveEnvironment } from "./evolve-environment.ts";
import { evolveMigration } from "../migration/evolve-migration.ts";
import {
  type EndedPrompt,
  type ExistingSession,
  type OpenPrompt,
  rememberedPrompts,
  rememberedSnapshots,
  rememberedTrials,
  type SessionState,
} from "./state.ts";

/** The state after an event. */
export const evolveSession = (state: SessionState, event: SessionEvent): SessionState => {
  if (event.type === "SessionCreated") {
    return {
      status: "pending",
      ...event.data,
      configuration: null,
      parentId: null,
      connections: null,
      excludedConnections: [],
      deferred: false,
      epoch: 0,
      instance: null,
      prompts: [],
      finished: [],
      lastEnd: null,
      cutOff: [],
      serviceCommands: [],
      environment: { names: [], version: 0 },
      envRequests: [],
      erasureRequested: false,
      pullRequests: [],
      serviceTrial: null,
      triedServices: [],
      lastTrial: null,
      snapshotRequests: [],
      snapshots: [],
      pause: "none",
      idlePause: null,
      provider: null,
      snapshotId: null,
      sandboxId: null,
      agentSessionId: null,
      generation: 0,
      spares: [],
      expiresAt: null,
      migrationFailures: 0,
      startFailures: 0,
      statusDetail: null,
    };
  }
  // The log of a session begins with its creation; anything else would not be a session.
  return state.status === "none" ? state : evolveExisting(state, event);
};

const evolveExisting = (
  state: ExistingSession,
  event: Exclude<SessionEvent, { type: "SessionCreated" }>,
): ExistingSession => {
  switch (event.type) {
    case "ConfigurationApplied":
      return {
        ...state,
        configuration: event.data,
        serviceCommands: event.data.serviceCommands,
      };
    case "ParentNamed":
      return { ...state, parentId: event.data.parentId };
    case "ConnectionsValidated":
      return {
        ...state,
        connections: event.data.usable,
        excludedConnections: event.data.excluded,
      };
    case "ProvisioningDeferred":
      return { ...state, deferred: true };
    case "PromptQueued":
      return wanted({
        ...state,
        prompts: [
          ...state.prompts,
          {
            ...event.data,
            fingerprint: fingerprintOf(event.data.text),
            started: false,
            begun: false,
            cancelRequested: false,
          },
        ],
      });
    case "PromptChanged":
      return changePrompts(state, [event.data.promptId], { text: event.data.text });
    case "SessionRenamed":
      return { ...state, title: event.data.title };
    case "CancelRequested":
      return changePrompts(state, event.data.promptIds, { cancelRequested: true });
    case "OwnershipAcquired":
      return {
        ...state,
        ...event.data,
        // Whatever the former owner was at, this one begins anew.
        prompts: state.prompts.map((prompt) => ({ ...prompt, started: false })),
        pause: state.pause === "withdrawn" ? "none" : state.pause,
      };
    case "SandboxStarting":
      return { ...state, status: "starting", provider: event.data.provider };
    case "SandboxStartFailed":
      return { ...state, startFailures: state.startFailures + 1 };
    case "SandboxReady":
      return {
        ...state,
        status: "running",
        sandboxId: event.data.sandboxId,
        agentSessionId: event.data.agentSessionId,
        expiresAt: event.data.expiresAt,
        migrationFailures: state.sandboxId === event.data.sandboxId ? state.migrationFailures : 0,
        startFailures: 0,
        statusDetail: null,
      };
    case "MigrationRequested":
    case "MigrationStarted":
    case "MigrationFailed":
    case "SandboxMigrated":
    case "SpareSandboxEnded":
      return evolveMigration(state, event);
    case "SandboxWarned":
      // For those who read the log; the session goes on.
      return state;
    case "SandboxPutAway":
      return { ...state, snapshotId: event.data.snapshotId };
    case "SandboxFailed":
      return {
        ...state,
        status: "failed",
        snapshotRequests: [],
        serviceTrial: null,
        startFailures: 0,
        statusDetail: event.data.failure.message,
      };
    case "PromptStarted":
      return {
        ...changePrompts(state, [event.data.promptId], { started: true, begun: true }),
        pause: goingOn(state),
      };
    case "PromptFinished":
      return finishPrompt(state, event.data);
    case "PauseRequested":
      return { ...state, pause: "requested" };
    case "SessionFoundIdle":
      return { ...state, idlePause: { failures: 0 } };
    case "IdlePauseFailed":
      return { ...state, idlePause: { failures: (state.idlePause?.failures ?? 0) + 1 } };
    case "IdleSandboxEnded":
      return {
        ...state,
        status: "failed",
        pause: "none",
        idlePause: null,
        snapshotRequests: [],
        serviceTrial: null,
        statusDetail: event.data.failure.message,
      };
    case "SessionPaused":
      return {
        ...state,
        status: "paused",
        pause: "none",
        idlePause: null,
        statusDetail: null,
        snapshotRequests: [],
        serviceTrial: null,
        prompts: state.prompts.map((prompt) => ({ ...prompt, started: false, begun: false })),
      };
    case "ResumeRequested":
      return wanted(state);
    case "SessionStopped":
      return {
        ...state,
        status: "stopped",
        statusDetail: null,
        prompts: [],
        cutOff: state.prompts.map(({ promptId, by }) => ({ promptId, by })),
        snapshotRequests: [],
        serviceTrial: null,
        pause: "none",
        idlePause: null,
      };
    case "ServiceCommandsSaved":
      return { ...state, serviceCommands: event.data.commands };
    case "AutoDeleteSet":
      return { ...state, autoDeleteDays: event.data.days };
    case "ErasureRequested":
      return { ...state, erasureRequested: true };
    case "PullRequestOpened":
      return { ...state, pullRequests: [...state.pullRequests, event.data.url] };
    case "EnvVariablesRequested":
    case "EnvVariablesProvided":
      return evolveEnvironment(state, event);
    case "ServiceTrialRequested":
      return { ...state, serviceTrial: event.data };
    case "ServicesTried": {
      const { requestId, services, failure } = event.data;
      return {
        ...state,
        serviceTrial: null,
        triedServices: [...state.triedServices, requestId].slice(-rememberedTrials),
        lastTrial: { requestId, services, failure },
      };
    }
    case "SnapshotRequested":
      return { ...state, snapshotRequests: [...state.snapshotRequests, event.data] };
    case "SnapshotTaken":
      return {
        ...settleSnapshot(state, {
          requestId: event.data.requestId,
          snapshotId: event.data.snapshotId,
        }),
        snapshotId: event.data.snapshotId,
      };
    case "SnapshotFailed":
      return settleSnapshot(state, {
        requestId: event.data.requestId,
        failure: event.data.failure,
      });
    default:
      return assertNever(event);
  }
};

/** Somebody wants the session to go on: what was put away comes back, and a pause is off. */
const wanted = (state: ExistingSession): ExistingSession => {
  const pause = state.pause === "requested" ? "withdrawn" : state.pause;
  return state.status === "paused" || state.status === "failed"
    ? {
        ...state,
        status: "pending",
        statusDetail: null,
        deferred: false,
        pause: "none",
        idlePause: null,
      }
    : { ...state, deferred: false, pause, idlePause: null };
};

/** An owner that starts prompts is not about to put the sandbox away because of an older request. */
const goingOn = ({ pause }: ExistingSession): ExistingSession["pause"] =>
  pause === "withdrawn" ? "none" : pause;

const settleSnapshot = (
  state: ExistingSession,
  result: ExistingSession["snapshots"][number],
): ExistingSession => ({
  ...state,
  snapshotRequests: state.snapshotRequests.filter(
    ({ requestId }) => requestId !== result.requestId,
  ),
  snapshots: [...state.snapshots, result].slice(-rememberedSnapshots),
});

const changePrompts = (
  state: ExistingSession,
  ids: readonly string[],
  change: Partial<OpenPrompt>,
): ExistingSession => ({
  ...state,
  prompts: state.prompts.map((prompt) =>
    ids.includes(prompt.promptId) ? { ...prompt, ...change } : prompt,
  ),
});

const finishPrompt = (
  state: ExistingSession,
  { promptId, outcome, failure }: EndedPrompt,
): ExistingSession => {
  const prompt = state.prompts.find((open) => open.promptId === promptId);
  if (!prompt) return state;
  return {
    ...state,
    prompts: state.prompts.filter((open) => open !== prompt),
    finished: [
      ...state.finished,
      { promptId: prompt.promptId, fingerprint: prompt.fingerprint },
    ].slice(-rememberedPrompts),
    lastEnd: { promptId, outcome, failure },
  };
};
