/** Owns sessions: whichever need an owner, as they come, until it is stopped. */
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { Leases } from "#event-store/leases/leases";
import { serveActivations } from "#event-store/live/owner-activation";
import { requestOwner, type WakeCause } from "#event-store/live/owner-requests";
import { startReactor } from "#event-store/workers/reactor";
import type { RecordedCommit } from "#event-store/reading/recorded";
import { announceRunner, isRunnerThere } from "#event-store/live/runner-presence";
import type { Handled } from "#event-store/workers/worker";
import { loadSession, type SessionRef } from "../sessions/session-log.ts";
import { needsOwner } from "./next-step.ts";
import type { RunnerDeps } from "./owner-context.ts";
import { isTornDown } from "./sandbox/tear-down.ts";
import { ownSession, type SessionOwner } from "./session-owner.ts";
import { tellOutcome } from "./untold.ts";

/** How soon a session that needs an owner is looked at again, in milliseconds. */
const watchIntervalMs = 2_000;

/**
 * How long a runner that was killed holds the calls up that it was given, in milliseconds. Answering one takes
 * a few questions to the log.
 */
const callHeldMs = 10_000;

/** How many sessions a runner owns before it lets those go that have rested longest. */
const defaultCapacity = 2_000;

/** The events after which a session may need an owner. */
const calls = [
  "SessionCreated",
  "PromptQueued",
  "CancelRequested",
  "PauseRequested",
  "ResumeRequested",
  "SandboxStarting",
  "SnapshotRequested",
  "ServiceTrialRequested",
  "MigrationRequested",
  "SessionStopped",
] as const;

export interface Runner {
  /** The sessions that this runner owns. */
  owned(): readonly SessionId[];
  /** Hands every session over to another runner; where there is none, puts their sandboxes away. */
  stop(): Promise<void>;
}

/**
 * Starts a runner. Several share the sessions: a call for an owner goes to one of them, and is given
 * to another again and again until what was asked for is done, whoever dies on the way.
 */
export const startRunner = async (
  deps: RunnerDeps & { readonly leases: Leases; readonly capacity?: number },
): Promise<Runner> => {
  const { store, log, capacity = defaultCapacity } = deps;
  const owners = new Map<SessionId, SessionOwner>();
  let stopping = false;

  /** A session that is let go so is taken again, by whichever runner, when somebody asks for it. */
  const makeRoom = (): void => {
    if (stopping) return;
    const resting = [...owners.values()]
      .flatMap((owner) => {
        const since = owner.restingSince();
        return since === null ? [] : [{ owner, since }];
      })
      .sort((a, b) => a.since - b.since);
    for (const { owner } of resting.slice(0, Math.max(0, owners.size - capacity))) {
      void owner.stop("later");
    }
  };

  /** Makes sure that somebody owns the session: who has it is woken, else this runner takes it. */
  const call = async (key: SessionRef, cause: WakeCause | null): Promise<void> => {
    const { session } = key;
    if (stopping || (await requestOwner(store, session, "wake", cause)) === "answered") {
      return;
    }
    const owner = await ownSession({ ...deps, onRest: makeRoom }, key, cause);
    if (!owner) {
      return;
    }
    owners.set(session, owner);
    void owner.done.finally(() => {
      if (owners.get(session) === owner) {
        owners.delete(session);
      }
    });
    makeRoom();
  };

  const react = async (recorded: RecordedCommit, attempt: number): Promise<Handled> => {
    const { ref } = recorded;
    const key = {
      organization: ref.organization as OrganizationId,
      session: ref.id as SessionId,
    };
    const state = await loadSession(store, key);
    const isDone =
      state.status === "stopped"
        ? await isTornDown(deps.provider, key.session, state)
        : !needsOwner(state);
    if (isDone) {
      await tellOutcome(store, key, { call: recorded, state });
      return;
    }
    // Whoever starts a sandbox has said so itself a moment ago.
    if (attempt > 1 || !isStart(recorded)) await call(key, causeOf(recorded));
    return { retryInMs: watchIntervalMs };
  };

  const reactor = await startReactor(store, {
    name: "session-activator",
    aggregates: ["session"],
    events: calls,
    react,
    log,
    maxAttempts: Number.POSITIVE_INFINITY,
    ackWaitMs: callHeldMs,
  });
  const presence = announceRunner(store);
  const activations = serveActivations(store, (key) => {
    call(key, null).catch((error: unknown) => {
      log.warn({ err: error, sessionId: key.session }, "a session could not be activated");
    });
  });
  return {
    owned: () => [...owners.keys()],
    stop: async () => {
      stopping = true;
      presence.stop();
      activations.stop();
      await reactor.stop();
      const to = (await isRunnerThereFor(deps)) ? "another_runner" : "nobody";
      await Promise.all([...owners.values()].map((owner) => owner.stop(to)));
    },
  };
};

const isStart = ({ commit }: RecordedCommit): boolean =>
  commit.events.some(({ type }) => type === "SandboxStarting");

/** Which prompts a commit has brought, for those who follow its trace. */
const causeOf = ({ commit, trace }: RecordedCommit): WakeCause | null => {
  if (trace === undefined) return null;
  const prompts = commit.events.flatMap(({ type, data }) =>
    type === "PromptQueued" ? [String(data["promptId"])] : [],
  );
  return { trace, prompts };
};

/** A log that cannot be asked has nobody who takes sessions. */
const isRunnerThereFor = async ({ store, log }: Pick<RunnerDeps, "store" | "log">) => {
  try {
    return await isRunnerThere(store);
  } catch (error) {
    log.warn({ err: error }, "it is not known whether there is another runner");
    return false;
  }
};
