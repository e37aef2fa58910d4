/** What the routes of a session take from a request. */
import type { SessionId } from "#contracts/ids";
import type { Principal } from "../gateway/authentication/principal.ts";
import type { SessionRef } from "./session-log.ts";

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
