/**
 * What people do with git in a session's sandbox, for HTTP and the live channel alike: questions for everybody
 * who sees the session, changes for its own people.
 */
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type * as http from "#contracts/http/git";
import type { UserView } from "#contracts/identity/principal";
import {
  gitBranchesSchema,
  type GitBranches,
  type GitHead,
  gitHeadSchema,
  gitStatusSchema,
} from "#contracts/sandbox/git";
import { execute } from "#event-store/aggregates/execute";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import type { FindUser } from "../identity/known-users.ts";
import type { Outbound } from "../integrations/outbound/outbound.ts";
import type { Visitor } from "../proxies/find-endpoints.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import { requireMayChange } from "../sessions/permissions.ts";
import { requireSession, type SessionRef } from "../sessions/session-log.ts";
import { type OpenedPullRequest, openPullRequestOn } from "./pull-requests.ts";
import { type Remote, remoteOf } from "./remote.ts";
import { askSidecar, type SidecarGitDeps } from "./sidecar-git.ts";

export interface GitDeps extends SidecarGitDeps {
  readonly store: EventStore;
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly findUser: FindUser;
}

/** Who asks, in which session, and how the log is to name it. */
export interface GitCaller extends Visitor {
  readonly role: UserView["role"];
  readonly meta: CommandMeta;
  /** The same one of the same person is the same request; null: each is one of its own. */
  readonly requestId: string | null;
}

interface InRepository {
  /** Its folder below the workspace. */
  readonly repo: string;
}
type Commit = z.infer<typeof http.commitGitChanges.body>;
type PullRequest = z.infer<typeof http.openPullRequest.body>;

/** Each throws DomainErrors: `session_not_found`, `forbidden`, `sandbox_unavailable`, and what git is refused with. */
export interface GitOperations {
  status(by: GitCaller, repo: string): Promise<z.infer<typeof gitStatusSchema>>;
  branches(by: GitCaller, repo: string): Promise<GitBranches>;
  createBranch(
    by: GitCaller,
    asked: InRepository & { readonly name: string },
  ): Promise<{ readonly branch: string }>;
  stage(by: GitCaller, asked: InRepository & { readonly paths: readonly string[] }): Promise<void>;
  /** In the name of who asks. */
  commit(by: GitCaller, asked: Commit): Promise<GitHead>;
  push(by: GitCaller, asked: InRepository): Promise<GitHead>;
  /** Pushes first. Asking again answers the one that is open. */
  openPullRequest(by: GitCaller, asked: PullRequest): Promise<GitHead & OpenedPullRequest>;
}

export const createGitOperations = (deps: GitDeps): GitOperations => {
  const { store, findUser } = deps;

  /** Commits are the person's, not the agent's. @throws DomainError `unauthenticated` */
  const authorOf = async ({ userId }: GitCaller) => {
    const user = await findUser(userId);
    if (!user) throw new DomainError("unauthenticated", "The user does not exist any more.");
    return { name: user.name, email: user.email };
  };

  const push = async (
    by: GitCaller,
    repo: string,
  ): Promise<{ readonly head: GitHead; readonly remote: Remote }> => {
    const session = await requireMayChange(store, refOf(by), by);
    const remote = await remoteOf(deps.secrets, by.organizationId, session, repo);
    const asked = { path: "push", repo, body: remote.push, answer: gitHeadSchema } as const;
    return { head: await askSidecar(deps, by, asked), remote };
  };

  return {
    status: async (by, repo) => {
      await requireSession(store, refOf(by));
      return askSidecar(deps, by, { path: "status", repo, answer: gitStatusSchema });
    },
    branches: async (by, repo) => {
      await requireSession(store, refOf(by));
      return askSidecar(deps, by, { path: "branches", repo, answer: gitBranchesSchema });
    },
    createBranch: async (by, { repo, name }) => {
      await requireMayChange(store, refOf(by), by);
      const answer = z.object({ branch: z.string() });
      const change = { path: "branch", repo, body: { name }, key: keyOf(by), answer } as const;
      return askSidecar(deps, by, change);
    },
    stage: async (by, { repo, paths }) => {
      await requireMayChange(store, refOf(by), by);
      await askSidecar(deps, by, { path: "stage", repo, body: { paths }, answer: z.object({}) });
    },
    commit: async (by, { repo, message }) => {
      await requireMayChange(store, refOf(by), by);
      const body = { message, author: await authorOf(by) };
      const change = { path: "commit", repo, body, key: keyOf(by), answer: gitHeadSchema } as const;
      return askSidecar(deps, by, change);
    },
    push: async (by, { repo }) => (await push(by, repo)).head,
    openPullRequest: async (by, { repo, title, body, draft, base }) => {
      const { head, remote } = await push(by, repo);
      const { ref } = remote.repository;
      const opened = await openPullRequestOn(deps.outbound, remote.github, {
        title,
        body,
        draft,
        head: head.branch,
        base: base ?? (ref === "HEAD" ? null : ref),
      });
      const { organization, session: id } = refOf(by);
      const { number, url } = opened;
      const record = { type: "RecordPullRequest", repository: repo, number, url } as const;
      await execute(store, sessionAggregate, { organization, id }, record, by.meta);
      return { ...head, ...opened };
    },
  };
};

const refOf = ({ organizationId, sessionId }: GitCaller): SessionRef => ({
  organization: organizationId,
  session: sessionId,
});

/** Two people may have chosen the same one. */
const keyOf = ({ userId, requestId }: GitCaller): string | null =>
  requestId === null ? null : `${userId}/${requestId}`;
