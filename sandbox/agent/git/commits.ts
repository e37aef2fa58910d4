/** Commits in a person's name. */
import type { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { GitHead, gitCommitRequestSchema } from "#contracts/sandbox/git";
import { refuseWhenBusy, requireBranch, requireHead } from "./branches.ts";
import type { GitClientOptions } from "./git-client.ts";
import { git, tryGit } from "./git-command.ts";

/**
 * Adds changes to the next commit, removals too; ignored files are left out.
 * @param paths relative to the repository; none for all
 * @throws DomainError `git_failed` for a path that git does not know
 */
export const stage = async (
  repository: GitClientOptions,
  paths: readonly string[],
): Promise<void> => {
  // By standard input: a list of paths may be longer than a command line.
  const chosen = paths.length === 0 ? ["."] : ["--pathspec-from-file=-", "--pathspec-file-nul"];
  await git(repository, {
    args: ["add", "--all", ...chosen],
    stdin: paths.join("\0"),
  });
};

/** @throws DomainError `git_nothing_staged`, `git_detached_head`, `git_busy`, `git_failed` */
export const commit = async (
  repository: GitClientOptions,
  { message, author }: z.infer<typeof gitCommitRequestSchema>,
): Promise<GitHead> => {
  await refuseWhenBusy(repository);
  await requireBranch(repository);
  const staged = await tryGit(repository, { args: ["diff", "--cached", "--quiet"] });
  if (staged.exitCode === 0) {
    throw new DomainError("git_nothing_staged", "There is nothing to commit; stage changes first.");
  }
  await git(repository, {
    args: ["commit", "--quiet", "--cleanup=whitespace", "--file=-"],
    stdin: message,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
    },
  });
  return requireHead(repository);
};
