import { DomainError, isDomainError } from "#contracts/errors";
import { issueApprovalLinks, showApprovalLink, useApprovalLink } from "#contracts/http/approvals";
import type { UserId } from "#contracts/ids";
import type { UserView } from "#contracts/identity/principal";
import type { ActionCommandsDeps } from "../../actions/commands.ts";
import { invocationNotFound, requireInvocation } from "../../actions/invocation/invocation-log.ts";
import { handleRoute, type RouteHandler } from "../../gateway/routes/handle-route.ts";
import { type Decision, decide } from "../decide.ts";
import { requireApprover } from "../member.ts";
import { type ApprovalLinkClaims, signApprovalLink, verifyApprovalLink } from "./link-token.ts";
import { confirmPage, decidedPage, problemPage } from "./pages.ts";

export interface ApprovalLinkDeps extends ActionCommandsDeps {
  readonly linkKey: Uint8Array;
  readonly findUser: (id: UserId) => Promise<UserView | null>;
  /** Where people reach the gateway, without a slash at its end; asked late, for the port may not be known. */
  readonly publicUrl: () => string;
}

export const approvalLinkRoutes = (deps: ApprovalLinkDeps): readonly RouteHandler[] => [
  handleRoute(issueApprovalLinks, async ({ params, principal }) => {
    const { sessionId, invocationId } = params;
    const key = { organization: principal.organizationId, id: invocationId };
    const { state } = await requireInvocation(deps.store, key);
    if (state.request.sessionId !== sessionId) throw invocationNotFound();
    if (state.status !== "pending" || state.expiresAt === null) throw decidedAlready();
    const expiresAt = new Date(state.expiresAt);
    const linkTo = async (decision: Decision): Promise<string> => {
      const claims: ApprovalLinkClaims = {
        // Its maker's own: a link in somebody else's name would let them decide as that person.
        sub: principal.userId,
        org: principal.organizationId,
        ses: sessionId,
        inv: invocationId,
        dec: decision,
      };
      const token = await signApprovalLink(deps.linkKey, claims, { now: deps.clock(), expiresAt });
      return `${deps.publicUrl()}${showApprovalLink.path}?token=${token}`;
    };
    const [approve, deny] = await Promise.all([linkTo("approve"), linkTo("deny")]);
    return { status: 201, body: { approve, deny, expiresAt: expiresAt.toISOString() } };
  }),
  // Programs that preview links ask for them: a GET decides nothing.
  handleRoute(showApprovalLink, ({ query }) =>
    asPage(async () => {
      const { dec, org, inv } = (await readLink(deps, query.token)).claims;
      const { state } = await requireInvocation(deps.store, { organization: org, id: inv });
      if (state.status !== "pending") throw decidedAlready();
      return confirmPage(dec, state.request);
    }),
  ),
  handleRoute(useApprovalLink, ({ query, trace }) =>
    asPage(async () => {
      const { claims, user } = await readLink(deps, query.token);
      const { ses: sessionId, inv: invocationId, dec: decision } = claims;
      await decide(deps, { sessionId, invocationId, decision, by: user, via: "link", trace });
      return decidedPage(decision);
    }),
  ),
];

const decidedAlready = (): DomainError =>
  new DomainError("invocation_already_resolved", "The action has been decided on already.");

const readLink = async (
  { linkKey, findUser, clock }: ApprovalLinkDeps,
  token: string,
): Promise<{ readonly claims: ApprovalLinkClaims; readonly user: UserView }> => {
  const claims = await verifyApprovalLink(linkKey, token, clock());
  return { claims, user: requireApprover(await findUser(claims.sub), claims.org) };
};

const html = { "content-type": "text/html; charset=utf-8" } as const;
const refusals = [401, 403, 404, 409, 410] as const;

/** A page in any case in which somebody can be told something. @throws whatever is no refusal */
const asPage = async (render: () => Promise<string>) => {
  try {
    return { status: 200 as const, body: await render(), headers: html };
  } catch (error) {
    if (!isDomainError(error)) throw error;
    const status = refusals.find((refusal) => refusal === error.status);
    if (status === undefined) throw error;
    return { status, body: problemPage(error.message), headers: html };
  }
};
