/** Git in a session's sandbox, over HTTP. */
import * as http from "#contracts/http/git";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import { type CommandingRequest, metaOf } from "../gateway/requests/request-meta.ts";
import type { PersonsRequest } from "../sessions/session-request.ts";
import { createGitOperations, type GitCaller, type GitDeps } from "./operations.ts";

export const gitRoutes = (deps: GitDeps): readonly RouteHandler[] => {
  const git = createGitOperations(deps);
  return [
    handleRoute(http.getGitStatus, async (request) => ({
      status: 200,
      body: await git.status(callerOf(request), request.query.repo),
    })),
    handleRoute(http.listGitBranches, async (request) => ({
      status: 200,
      body: await git.branches(callerOf(request), request.query.repo),
    })),
    handleRoute(http.createGitBranch, async (request) => ({
      status: 201,
      body: await git.createBranch(callerOf(request), request.body),
    })),
    handleRoute(http.stageGitChanges, async (request) => {
      await git.stage(callerOf(request), request.body);
      return { status: 200, body: {} };
    }),
    handleRoute(http.commitGitChanges, async (request) => ({
      status: 201,
      body: await git.commit(callerOf(request), request.body),
    })),
    handleRoute(http.pushGitBranch, async (request) => ({
      status: 200,
      body: await git.push(callerOf(request), request.body),
    })),
    handleRoute(http.openPullRequest, async (request) => ({
      status: 201,
      body: await git.openPullRequest(callerOf(request), request.body),
    })),
  ];
};

type GitRequest = PersonsRequest &
  CommandingRequest & {
    /** Of the routes whose repetition needs a key. */
    readonly headers?: { readonly "idempotency-key"?: string | undefined } | undefined;
  };

const callerOf = (request: GitRequest): GitCaller => ({
  sessionId: request.params.sessionId,
  organizationId: request.principal.organizationId,
  userId: request.principal.userId,
  role: request.principal.role,
  meta: metaOf(request),
  requestId: request.headers?.["idempotency-key"] ?? null,
});
