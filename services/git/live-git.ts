/** Git in a session's sandbox, over the live channel. */
import { assertNever } from "#contracts/assert-never";
import { type GitAnswer, type GitFrame, maxFilesInFrame } from "#contracts/live/git-frames";
import type { LiveCommands } from "../fanout/client/client-requests.ts";
import { inCommandSpan, personOf } from "../sessions/live/live-person.ts";
import {
  createGitOperations,
  type GitCaller,
  type GitDeps,
  type GitOperations,
} from "./operations.ts";

export const createLiveGit = (deps: GitDeps): LiveCommands["git"] => {
  const git = createGitOperations(deps);
  return async (ticket, frame) => {
    const { role } = await personOf(deps.findUser, ticket);
    return inCommandSpan(deps.store, ticket, frame.type, (meta) => {
      const { sessionId, organizationId, userId } = ticket;
      const caller = { sessionId, organizationId, userId, role, meta, requestId: frame.requestId };
      return answer(git, caller, frame);
    });
  };
};

const answer = async (git: GitOperations, by: GitCaller, frame: GitFrame): Promise<GitAnswer> => {
  switch (frame.type) {
    case "get_git_status": {
      const status = await git.status(by, frame.repo);
      const files = status.files.slice(0, maxFilesInFrame);
      const truncated = status.truncated || files.length < status.files.length;
      return { type: "git_status", requestId: frame.requestId, ...status, files, truncated };
    }
    case "git_create_branch":
      return done(frame, await git.createBranch(by, frame));
    case "git_stage":
      await git.stage(by, frame);
      return done(frame, {});
    case "git_commit":
      return done(frame, await git.commit(by, frame));
    case "git_push":
      return done(frame, await git.push(by, frame));
    case "git_create_pr": {
      const { branch, commit, ...pullRequest } = await git.openPullRequest(by, frame);
      return done(frame, { branch, commit, pullRequest });
    }
    default:
      return assertNever(frame);
  }
};

type Result = Extract<GitAnswer, { type: "git_result" }>;

const done = (
  { type: operation, requestId }: GitFrame,
  { branch = null, commit = null, pullRequest = null }: Partial<Result>,
): Result => ({ type: "git_result", requestId, operation, branch, commit, pullRequest });
