/** Who asks for something on the live channel, and what for. */
import { DomainError } from "#contracts/errors";
import type { UserView } from "#contracts/identity/principal";
import { type CommandMeta, newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { inSpan } from "#event-store/tracing/tracing";
import type { LiveTicket } from "../../fanout/client/live-client.ts";
import type { FindUser } from "../../identity/known-users.ts";
import type { SessionRef } from "../session-log.ts";

/** As the person is now: a connection may be days older. @throws DomainError `unauthenticated` */
export const personOf = async (
  findUser: FindUser,
  { userId, organizationId }: LiveTicket,
): Promise<UserView> => {
  const user = await findUser(userId);
  if (user?.organizationId === organizationId) return user;
  throw new DomainError("unauthenticated", "The user of this connection does not exist any more.");
};

export const refOf = ({ organizationId, sessionId }: LiveTicket): SessionRef => ({
  organization: organizationId,
  session: sessionId,
});

/** A trace begins with each command: a connection has none that would be worth following for days. */
export const inCommandSpan = <T>(
  { tracing }: Pick<EventStore, "tracing">,
  { userId, organizationId, sessionId }: LiveTicket,
  name: string,
  carryOut: (meta: CommandMeta) => Promise<T>,
): Promise<T> => {
  const attributes = {
    "proliferate.organization": organizationId,
    "proliferate.session": sessionId,
  };
  return inSpan(tracing, { name: `live ${name}`, kind: "server", attributes }, (span) => {
    const actor = { kind: "user", id: userId, via: "live" } as const;
    return carryOut(newCommandMeta({ actor, trace: span.traceparent }));
  });
};
