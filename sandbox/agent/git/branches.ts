/** The branches of a repository, and whether something is under way in it. */
import { access } from "node:fs/promises";
import path from "node:path";
import { DomainError } from "#contracts/errors";
import type { GitBranches, GitHead, GitOperation } from "#contracts/sandbox/git";
import type { GitClientOptions } from "./git-client.ts";
import { git, tryGit } from "./git-command.ts";

const maxBranches = 500;

export const readBranches = async (repository: GitClientOptions): Promise<GitBranches> => {
  const list = await git(repository, {
    args: [
      "for-each-ref",
      `--count=${maxBranches}`,
      "--sort=-committerdate",
      "--format=%(refname:lstrip=2)",
      "refs/heads",
    ],
  });
  return {
    current: await currentBranch(repository),
    branches: list.split("\n").filter((name) => name !== ""),
    operation: await operationIn(repository),
  };
};

/** Creates a branch from what is checked out, and checks it out. @throws DomainError `git_branch_exists`, `git_busy` */
export const createBranch = async (
  repository: GitClientOptions,
  name: string,
): Promise<{ readonly branch: string }> => {
  await refuseWhenBusy(repository);
  const known = await tryGit(repository, {
    args: ["show-ref", "--verify", "--quiet", `refs/heads/${name}`],
  });
  if (known.exitCode === 0) {
    throw new DomainError("git_branch_exists", `There is a branch ${name} already.`);
  }
  await git(repository, { args: ["checkout", "--quiet", "-b", name] });
  return { branch: name };
};

/** The branch with its newest commit. @throws DomainError `git_detached_head`, `git_failed` without any commit */
export const requireHead = async (repository: GitClientOptions): Promise<GitHead> => ({
  branch: await requireBranch(repository),
  commit: (await git(repository, { args: ["rev-parse", "--verify", "HEAD"] })).trim(),
});

/** @throws DomainError `git_detached_head` */
export const requireBranch = async (repository: GitClientOptions): Promise<string> => {
  const branch = await currentBranch(repository);
  if (branch !== null) return branch;
  throw new DomainError("git_detached_head", "No branch is checked out; create one first.");
};

/** @throws DomainError `git_busy` */
export const refuseWhenBusy = async (repository: GitClientOptions): Promise<void> => {
  const operation = await operationIn(repository);
  if (operation === null) return;
  const what = operation.replace("_", "-");
  throw new DomainError("git_busy", `A ${what} is under way in the repository.`, {
    fields: { operation },
  });
};

const currentBranch = async (repository: GitClientOptions): Promise<string | null> => {
  const head = await tryGit(repository, { args: ["symbolic-ref", "--quiet", "--short", "HEAD"] });
  return head.exitCode === 0 ? head.stdout.trim() : null;
};

/** What git leaves in its folder while it is at something. */
const traces: readonly (readonly [trace: string, operation: GitOperation])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry_pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
];

const operationIn = async (repository: GitClientOptions): Promise<GitOperation | null> => {
  const folder = (await git(repository, { args: ["rev-parse", "--absolute-git-dir"] })).trim();
  for (const [trace, operation] of traces) {
    const found = await access(path.join(folder, trace)).then(
      () => true,
      () => false, // Not there, which is the usual case.
    );
    if (found) return operation;
  }
  return null;
};
