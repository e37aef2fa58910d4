/** Finds the sandbox of a session, and has it brought up when nobody has it up. */
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import type { OrganizationId, SessionId, UserId } from "#contracts/ids";
import { type SandboxEndpoints, sandboxEndpointsSchema } from "#contracts/sandbox/endpoints";
import { newCommandMeta } from "#event-store/command-meta";
import { requestActivation } from "#event-store/live/owner-activation";
import { askOwner } from "#event-store/live/owner-questions";
import { resumeSession, type SessionCommandsDeps } from "../sessions/commands.ts";
import { requireUndeletedSession } from "../sessions/session-log.ts";

export interface Visitor {
  readonly sessionId: SessionId;
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
}

/**
 * @throws DomainError `session_not_found`, `session_stopped`, `sandbox_boot_failed`, `sandbox_unavailable`
 * when it takes too long
 */
export type FindEndpoints = (visitor: Visitor) => Promise<SandboxEndpoints>;

export interface FindEndpointsDeps extends SessionCommandsDeps {
  /** How long a sandbox may take to come up, in milliseconds; 60 s unless told. */
  readonly patienceMs?: number;
}

const pauseMs = 250;

/** One search per session at a time: a page asks for many files at once. */
export const createFindEndpoints = (deps: FindEndpointsDeps): FindEndpoints => {
  const searches = new Map<string, Promise<SandboxEndpoints>>();
  return (visitor) => {
    // The ids of sessions are unique, but a ticket of another organisation must find nothing.
    const key = `${visitor.organizationId}/${visitor.sessionId}`;
    const running = searches.get(key);
    if (running) return running;
    const search = find(deps, visitor).finally(() => searches.delete(key));
    searches.set(key, search);
    return search;
  };
};

const find = async (deps: FindEndpointsDeps, visitor: Visitor): Promise<SandboxEndpoints> => {
  const { store, patienceMs = 60_000 } = deps;
  const { organizationId: organization, sessionId: session } = visitor;
  const givesUpAt = Date.now() + patienceMs;
  let asked = false;
  do {
    const state = await requireUndeletedSession(store, { organization, session });
    const known = sandboxEndpointsSchema.safeParse(await askOwner(store, session, "endpoints"));
    if (known.success) return known.data;
    if (asked && state.status === "failed") {
      throw new DomainError("sandbox_boot_failed", "The sandbox did not come up.");
    }
    if (!asked && (state.status === "paused" || state.status === "failed" || state.deferred)) {
      await resume(deps, visitor);
    } else {
      await requestActivation(store, { organization, session });
    }
    asked = true;
    await delay(pauseMs);
  } while (Date.now() < givesUpAt);
  throw new DomainError("sandbox_unavailable", "The sandbox is not up yet. Try again.");
};

const resume = async (
  deps: FindEndpointsDeps,
  { organizationId, sessionId, userId }: Visitor,
): Promise<void> => {
  const actor = { kind: "user", id: userId, via: "http" } as const;
  const meta = newCommandMeta({ actor, correlationId: sessionId });
  await resumeSession(deps, { organization: organizationId, session: sessionId }, meta);
};
