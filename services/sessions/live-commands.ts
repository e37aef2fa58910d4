/** What people do to a session through its live channel: the same commands as over HTTP. */
import { DomainError } from "#contracts/errors";
import type { UserView } from "#contracts/identity/principal";
import { type CommandMeta, newCommandMeta } from "#event-store/command-meta";
import { inSpan } from "#event-store/tracing/tracing";
import type { LiveCommands } from "../fanout/client-requests.ts";
import type { LiveTicket } from "../fanout/live-client.ts";
import type { FindUser } from "../identity/known-users.ts";
import * as commands from "./commands.ts";
import { requireMayChange } from "./permissions.ts";
import type { SessionRef } from "./session-log.ts";

export interface LiveCommandsDeps extends commands.SessionCommandsDeps {
  /** Who somebody is now: a connection may be days older than what is known of its person. */
  readonly findUser: FindUser;
}

export const createLiveCommands = (deps: LiveCommandsDeps): LiveCommands => ({
  prompt: (by, { requestId, text }) =>
    inCommandSpan(deps, by, "prompt", async (meta) => {
      const { id } = await personOf(deps, by);
      const prompt = { text, by: id, idempotencyKey: requestId };
      return commands.queuePrompt(deps, refOf(by), prompt, meta);
    }),
  cancel: (by) =>
    inCommandSpan(deps, by, "cancel", async (meta) => {
      await personOf(deps, by);
      return commands.cancelPrompts(deps, refOf(by), meta);
    }),
  saveSnapshot: (by, { requestId, message }) =>
    inCommandSpan(deps, by, "save_snapshot", async (meta) => {
      const { id, role } = await personOf(deps, by);
      await requireMayChange(deps.store, refOf(by), { userId: id, role });
      // The agent's own requests are named after its tool calls.
      const request = { requestId: `live:${requestId}`, message };
      return commands.requestSnapshot(deps, refOf(by), request, meta);
    }),
});

/** A trace begins with each command: a connection has none that would be worth following for days. */
const inCommandSpan = <T>(
  { store }: LiveCommandsDeps,
  { userId, organizationId, sessionId }: LiveTicket,
  name: string,
  carryOut: (meta: CommandMeta) => Promise<T>,
): Promise<T> => {
  const attributes = {
    "proliferate.organization": organizationId,
    "proliferate.session": sessionId,
  };
  return inSpan(store.tracing, { name: `live ${name}`, kind: "server", attributes }, (span) => {
    const actor = { kind: "user", id: userId, via: "live" } as const;
    return carryOut(newCommandMeta({ actor, trace: span.traceparent }));
  });
};

const personOf = async (
  { findUser }: LiveCommandsDeps,
  { userId, organizationId }: LiveTicket,
): Promise<UserView> => {
  const user = await findUser(userId);
  if (user?.organizationId === organizationId) return user;
  throw new DomainError("unauthenticated", "The user of this connection does not exist any more.");
};

const refOf = ({ organizationId, sessionId }: LiveTicket): SessionRef => ({
  organization: organizationId,
  session: sessionId,
});
