/** Git in a session's sandbox: questions for everybody who sees the session, changes for its own people. */
import * as http from "#contracts/http/git";
import { DomainError } from "#contracts/errors";
import type { UserId } from "#contracts/ids";
import {
  gitBranchesSchema,
  type GitHead,
  gitHeadSchema,
  gitStatusSchema,
} from "#contracts/sandbox/git";
import { z } from "zod";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { handleRoute, type RouteHandler } from "../gateway/handle-route.ts";
import type { Identity } from "../identity/identity.ts";
import type { Outbound } from "../integrations/outbound/outbound.ts";
import type { Visitor } from "../proxies/find-endpoints.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { sessionAggregate } from "../sessions/decider.ts";
import { requireMayChange } from "../sessions/permissions.ts";
import { requireSession } from "../sessions/session-log.ts";
import { metaOf } from "../gateway/request-meta.ts";
import { type PersonsRequest, refOf } from "../sessions/session-request.ts";
import { openPullRequestOn } from "./pull-requests.ts";
import { type Remote, remoteOf } from "./remote.ts";
import { askSidecar, type SidecarGitDeps } from "./sidecar-git.ts";

export interface GitRoutesDeps extends SidecarGitDeps {
  readonly store: EventStore;
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly findUser: Identity["findUser"];
}

export const gitRoutes = (deps: GitRoutesDeps): readonly RouteHandler[] => [
  handleRoute(http.getGitStatus, async (request) => {
    const { repo } = request.query;
    await requireSession(deps.store, refOf(request));
    const asked = { path: "status", repo, answer: gitStatusSchema } as const;
    return { status: 200, body: await askSidecar(deps, visitorOf(request), asked) };
  }),
  handleRoute(http.listGitBranches, async (request) => {
    const { repo } = request.query;
    await requireSession(deps.store, refOf(request));
    const asked = { path: "branches", repo, answer: gitBranchesSchema } as const;
    return { status: 200, body: await askSidecar(deps, visitorOf(request), asked) };
  }),
  handleRoute(http.createGitBranch, async (request) => {
    const { repo, name } = request.body;
    await requireMayChange(deps.store, refOf(request), request.principal);
    const answer = z.object({ branch: z.string() });
    const asked = { path: "branch", repo, body: { name }, answer } as const;
    return { status: 201, body: await askSidecar(deps, visitorOf(request), asked) };
  }),
  handleRoute(http.stageGitChanges, async (request) => {
    const { repo, paths } = request.body;
    await requireMayChange(deps.store, refOf(request), request.principal);
    const asked = { path: "stage", repo, body: { paths }, answer: z.object({}) } as const;
    return { status: 200, body: await askSidecar(deps, visitorOf(request), asked) };
  }),
  handleRoute(http.commitGitChanges, async (request) => {
    const { repo, message } = request.body;
    await requireMayChange(deps.store, refOf(request), request.principal);
    const author = await authorOf(deps, request.principal.userId);
    const body = { message, author };
    const asked = { path: "commit", repo, body, answer: gitHeadSchema } as const;
    return { status: 201, body: await askSidecar(deps, visitorOf(request), asked) };
  }),
  handleRoute(http.pushGitBranch, async (request) => {
    const { head } = await push(deps, request, request.body.repo);
    return { status: 200, body: head };
  }),
  handleRoute(http.openPullRequest, async (request) => {
    const { repo, title, body, draft, base } = request.body;
    const { head, remote } = await push(deps, request, repo);
    const { ref } = remote.repository;
    const opened = await openPullRequestOn(deps.outbound, remote.github, {
      title,
      body,
      draft,
      head: head.branch,
      base: base ?? (ref === "HEAD" ? null : ref),
    });
    const { organization, session: id } = refOf(request);
    const { number, url } = opened;
    const record = { type: "RecordPullRequest", repository: repo, number, url } as const;
    await execute(deps.store, sessionAggregate, { organization, id }, record, metaOf(request));
    return { status: 201, body: { ...head, ...opened } };
  }),
];

const push = async (
  deps: GitRoutesDeps,
  request: PersonsRequest,
  repo: string,
): Promise<{ readonly head: GitHead; readonly remote: Remote }> => {
  const session = await requireMayChange(deps.store, refOf(request), request.principal);
  const remote = await remoteOf(deps.secrets, request.principal.organizationId, session, repo);
  const head = await askSidecar(deps, visitorOf(request), {
    path: "push",
    repo,
    body: remote.push,
    answer: gitHeadSchema,
  });
  return { head, remote };
};

const visitorOf = ({ principal, params }: PersonsRequest): Visitor => ({
  sessionId: params.sessionId,
  organizationId: principal.organizationId,
  userId: principal.userId,
});

/** Commits are the person's, not the agent's. @throws DomainError `unauthenticated` */
const authorOf = async ({ findUser }: GitRoutesDeps, userId: UserId) => {
  const user = await findUser(userId);
  if (!user) throw new DomainError("unauthenticated", "The user does not exist any more.");
  return { name: user.name, email: user.email };
};
