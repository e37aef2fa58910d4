/** Fills the workspace once: clones of the repositories, or an empty repository. */
import path from "node:path";
import pLimit from "p-limit";
import { DomainError } from "#contracts/errors";
import { repositoryName } from "#contracts/repository";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import type { RepositorySpec, SandboxSpec } from "../provider/spec.ts";
import { commandFailed, git, parallelTransfers, tryGit } from "./git.ts";
import type { Machine } from "./machine.ts";

/** Written last, so that a clone that was cut off is recognised and done again. */
export const workspaceMarker = (machine: Pick<Machine, "home">): string =>
  `${machine.home}/.proliferate/workspace.json`;

export interface FilledWorkspace {
  /** Whether it was there already, with an agent's work in it. */
  readonly kept: boolean;
  readonly warnings: readonly SandboxWarning[];
}

/** Leaves a filled workspace alone, so a resumed sandbox keeps the agent's work. */
export const fillWorkspace = async (
  machine: Machine,
  { repositories }: Pick<SandboxSpec, "repositories">,
  signal: AbortSignal,
): Promise<FilledWorkspace> => {
  if (await machine.files.exists(workspaceMarker(machine))) return { kept: true, warnings: [] };
  refuseBadPlaces(repositories);
  const clear = ["find", machine.workspace, "-mindepth", "1", "-delete"] as const;
  const cleared = await machine.exec(clear, { signal });
  if (cleared.exitCode !== 0) throw commandFailed(clear, cleared);
  const warnings = await cloneAll(machine, repositories, signal);
  const filledWith = repositories.map(({ url, ref, path: place }) => ({ url, ref, path: place }));
  await machine.files.write(
    workspaceMarker(machine),
    `${JSON.stringify({ version: 2, repositories: filledWith })}\n`,
  );
  return { kept: false, warnings };
};

/** The first clone that fails ends the others. */
const cloneAll = async (
  machine: Machine,
  repositories: readonly RepositorySpec[],
  signal: AbortSignal,
): Promise<readonly SandboxWarning[]> => {
  if (repositories.length === 0) {
    await git(machine, { args: ["init", "--quiet", "-b", "main", "."], signal });
    return [];
  }
  const broken = new AbortController();
  const until = AbortSignal.any([signal, broken.signal]);
  const limit = pLimit(parallelTransfers);
  const clones = repositories.map((repository) =>
    limit(async () => {
      try {
        until.throwIfAborted();
        return await clone(machine, repository, until);
      } catch (error) {
        broken.abort(error);
        throw error;
      }
    }),
  );
  // All have to have ended before anybody clears the folder that they write into.
  await Promise.allSettled(clones);
  if (broken.signal.aborted) throw broken.signal.reason;
  return (await Promise.all(clones)).flat();
};

const clone = async (
  machine: Machine,
  repository: RepositorySpec,
  signal: AbortSignal,
): Promise<readonly SandboxWarning[]> => {
  const { url, ref, path: place, credential } = repository;
  if (ref.startsWith("-")) {
    throw new DomainError(
      "sandbox_boot_failed",
      `"${ref}" cannot be the name of a branch, tag or commit.`,
    );
  }
  await git(machine, { args: ["clone", "--quiet", "--", url, place], signal, credential });
  if (ref === "HEAD") return [];
  // With "--" git takes the name for a revision, or a branch of the remote, never for a file.
  const checkout = ["-C", place, "checkout", "--quiet", ref, "--"];
  const result = await tryGit(machine, { args: checkout, signal });
  if (result.exitCode === 0) return [];
  if (await isKnown(machine, repository, signal)) throw commandFailed(["git", ...checkout], result);
  return [
    {
      code: "branch_missing",
      message: `${repositoryName(url)} has no branch, tag or commit "${ref}"; its default branch is checked out.`,
    },
  ];
};

const isKnown = async (
  machine: Machine,
  { path: place, ref }: RepositorySpec,
  signal: AbortSignal,
): Promise<boolean> => {
  for (const name of [`${ref}^{commit}`, `refs/remotes/origin/${ref}`]) {
    const args = ["-C", place, "rev-parse", "--quiet", "--verify", "--end-of-options", name];
    if ((await tryGit(machine, { args, signal })).exitCode === 0) return true;
  }
  return false;
};

/** Each repository has a place of its own inside the workspace; `.` has room for no other. */
const refuseBadPlaces = (repositories: readonly RepositorySpec[]): void => {
  const places = repositories.map((repository) => path.posix.normalize(repository.path));
  for (const [index, place] of places.entries()) {
    const outside = path.posix.isAbsolute(place) || place.split("/")[0] === "..";
    const shared = places.some((other, at) => at !== index && isInside(other, place));
    if (outside || shared || place.startsWith("-")) {
      throw new DomainError(
        "sandbox_boot_failed",
        `"${repositories[index]?.path}" cannot be a repository's place in the workspace.`,
      );
    }
  }
};

const isInside = (inner: string, outer: string): boolean =>
  outer === "." || inner === outer || inner.startsWith(`${outer}/`);
