/** What the routes of a session take from a request. */
import { DomainError } from "#contracts/errors";
import type { SessionId } from "#contracts/ids";
import type { Principal } from "../gateway/principal.ts";
import type { SessionRef } from "./commands.ts";

export interface SessionRequest {
  readonly principal: Principal;
  readonly params: { readonly sessionId: SessionId };
}

/** A person's request about one session. */
export type PersonsRequest = SessionRequest & {
  readonly principal: Extract<Principal, { kind: "user" }>;
};

export const refOf = ({ principal, params }: SessionRequest): SessionRef => ({
  organization: principal.organizationId,
  session: params.sessionId,
});

export const notFound = (): DomainError =>
  new DomainError("session_not_found", "There is no such session.");
