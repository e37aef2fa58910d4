/** One decision on a waiting invocation, from wherever it comes. */
import type { UserView } from "#contracts/identity/principal";
import type { InvocationId, SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import type { Traceparent } from "#event-store/tracing/tracing";
import { type ActionCommandsDeps, approveInvocation, denyInvocation } from "../actions/commands.ts";

export type Decision = "approve" | "deny";

export interface Decided {
  readonly sessionId: SessionId;
  readonly invocationId: InvocationId;
  readonly decision: Decision;
  readonly by: UserView;
  /** Through which door, for the log: `link`, `slack`. */
  readonly via: string;
  readonly trace: Traceparent | undefined;
}

/** @throws DomainError as `approveInvocation` of `actions/commands.ts` */
export const decide = async (
  deps: ActionCommandsDeps,
  { sessionId, invocationId, decision, by, via, trace }: Decided,
): Promise<void> => {
  const resolution = { organization: by.organizationId, sessionId, id: invocationId, by: by.id };
  const meta = newCommandMeta({ actor: { kind: "user", id: by.id, via }, trace });
  await (decision === "approve"
    ? approveInvocation(deps, { ...resolution, scope: "once", editedParams: null }, meta)
    : denyInvocation(deps, { ...resolution, reason: "" }, meta));
};
