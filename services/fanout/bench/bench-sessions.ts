/** Sessions that exist only on the live channel, and what is published of them. */
import { newId, type OrganizationId, type SessionId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import type { EventStore } from "#event-store/event-store";
import { publishLive, streamLive } from "#event-store/live/live-channel";
import { signLiveTicket } from "../../identity/signed-tokens.ts";

/** The tier of a benchmark takes the tickets that are signed with it. */
export const ticketKey = new Uint8Array(32).fill(7);

export interface BenchSession {
  readonly organization: OrganizationId;
  readonly session: SessionId;
}

export const newBenchSessions = (count: number): readonly BenchSession[] =>
  Array.from({ length: count }, () => ({
    organization: newId("organization"),
    session: newId("session"),
  }));

/** Good for a minute, for as many connections as there are. */
export const ticketOf = async ({ organization, session }: BenchSession): Promise<string> => {
  const key = { organizationId: organization, sessionId: session };
  const ticket = { ...key, userId: newId("user"), access: "watch" } as const;
  return (await signLiveTicket(ticketKey, ticket, new Date())).token;
};

const token = (delta: string): LiveMessage => ({
  type: "token",
  kind: "text",
  messageId: "msg",
  partId: "prt",
  delta,
});

/** Publishes one small message, and resolves when the log has it. */
export const publishToken = (
  store: EventStore,
  session: BenchSession,
  delta: string,
): Promise<void> => publishLive(store, session, token(delta));

/** Publishes one as a session's owner does. */
export const streamToken = (
  store: EventStore,
  session: BenchSession,
  delta: string,
): Promise<void> => streamLive(store, session, token(delta));

/** Microseconds on a clock that all processes of this machine share. */
export const sharedClockUs = (): number => Number(process.hrtime.bigint() / 1_000n);
