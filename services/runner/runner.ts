/** Owns sessions: whichever need an owner, as they come, until it is stopped. */
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { Leases } from "#event-store/leases";
import { loadAggregate } from "#event-store/load";
import { serveActivations } from "#event-store/owner-activation";
import { requestOwner } from "#event-store/owner-requests";
import { startReactor } from "#event-store/reactor";
import type { RecordedCommit } from "#event-store/recorded";
import type { Handled } from "#event-store/worker";
import { sessionAggregate } from "../sessions/decider.ts";
import { needsOwner } from "./next-step.ts";
import type { RunnerDeps } from "./owner-context.ts";
import { isTornDown } from "./tear-down.ts";
import { ownSession, type SessionKey, type SessionOwner } from "./session-owner.ts";

/** How soon a session that needs an owner is looked at again, in milliseconds. */
const watchIntervalMs = 2_000;

/** The events after which a session may need an owner. */
const calls = new Set([
  "SessionCreated",
  "PromptQueued",
  "CancelRequested",
  "PauseRequested",
  "ResumeRequested",
  "SnapshotRequested",
  "MigrationRequested",
  "SessionStopped",
]);

export interface Runner {
  /** The sessions that this runner owns. */
  owned(): readonly SessionId[];
  /** Lets every session go, and puts their sandboxes away. */
  stop(): Promise<void>;
}

/**
 * Starts a runner. Several share the sessions: a call for an owner goes to one of them, and is given
 * to another again and again until what was asked for is done, whoever dies on the way.
 */
export const startRunner = async (
  deps: RunnerDeps & { readonly leases: Leases },
): Promise<Runner> => {
  const { store, leases, log } = deps;
  const owners = new Map<SessionId, SessionOwner>();
  let stopping = false;

  /** Makes sure that somebody owns the session: who has it is woken, else this runner takes it. */
  const call = async (key: SessionKey): Promise<void> => {
    const { session } = key;
    if (stopping || (await requestOwner(store, session, "wake")) === "answered") {
      return;
    }
    const owner = await ownSession(deps, leases, key);
    if (!owner) {
      return;
    }
    owners.set(session, owner);
    void owner.done.finally(() => {
      if (owners.get(session) === owner) {
        owners.delete(session);
      }
    });
  };

  const react = async ({ ref, commit }: RecordedCommit): Promise<Handled> => {
    if (!commit.events.some(({ type }) => calls.has(type))) {
      return;
    }
    const key = {
      organization: ref.organization as OrganizationId,
      session: ref.id as SessionId,
    };
    const { state } = await loadAggregate(store, sessionAggregate, {
      organization: key.organization,
      id: key.session,
    });
    if (state.status === "stopped") {
      if (await isTornDown(deps.provider, key.session, state)) {
        return;
      }
    } else if (!needsOwner(state)) {
      return;
    }
    await call(key);
    return { retryInMs: watchIntervalMs };
  };

  const reactor = await startReactor(store, {
    name: "session-activator",
    aggregates: ["session"],
    react,
    log,
    maxAttempts: Number.POSITIVE_INFINITY,
  });
  const activations = serveActivations(store, (key) => {
    call(key).catch((error: unknown) => {
      log.warn({ err: error, sessionId: key.session }, "a session could not be activated");
    });
  });
  return {
    owned: () => [...owners.keys()],
    stop: async () => {
      stopping = true;
      activations.stop();
      await reactor.stop();
      await Promise.all([...owners.values()].map((owner) => owner.stop()));
    },
  };
};
