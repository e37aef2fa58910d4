/** The git repositories of the workspace: which there are, what has changed in them. */
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { StatusResult } from "simple-git";
import { DomainError } from "#contracts/errors";
import {
  isInside,
  openFolderInside,
  outside,
  stablePath,
  type Workspace,
} from "../workspace/confinement.ts";
import { runGit, type GitClientOptions } from "./git-client.ts";

export interface GitAccess {
  readonly workspace: Workspace;
  readonly searchPath: string;
  readonly home: string;
}

/** A repository's name is its folder, relative to the workspace; `.` is the workspace itself. */
export const findRepositories = async ({ workspace }: GitAccess): Promise<readonly string[]> => {
  const found: string[] = [];
  const look = async (folder: string, depth: number): Promise<void> => {
    // A folder that may not be read, or has gone, has no repositories for us.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some((entry) => entry.name === ".git")) {
      found.push(path.relative(workspace.root, folder) || ".");
    }
    if (depth === 0) return;
    for (const entry of entries) {
      if (found.length >= maxRepositories) return;
      // Links are no directories here, so nothing outside is looked at.
      if (!entry.isDirectory() || entry.name.startsWith(".") || skipped.has(entry.name)) continue;
      await look(path.join(folder, entry.name), depth - 1);
    }
  };
  await look(workspace.root, searchDepth);
  return found.sort();
};

const searchDepth = 3;
const maxRepositories = 50;
const skipped = new Set(["node_modules", "vendor", "target", "dist", "build"]);

export interface RepositoryStatus {
  /** Null when no branch is checked out. */
  readonly branch: string | null;
  readonly tracking: string | null;
  readonly ahead: number;
  readonly behind: number;
  /** `index` and `workingTree` are git's letters, ` ` for unchanged and `?` for untracked. */
  readonly files: readonly {
    path: string;
    from: string | null;
    index: string;
    workingTree: string;
  }[];
  /** More files have changed than are shown. */
  readonly truncated: boolean;
}

const maxStatusBytes = 4 * 1024 * 1024;
const maxStatusFiles = 2_000;

/** @throws DomainError `repository_not_found`, `path_outside_workspace`, `git_failed` */
export const readStatus = (access: GitAccess, repository: string): Promise<RepositoryStatus> =>
  inRepository(access, repository, async (git) => {
    const { result } = await runGit(git, maxStatusBytes, (client) => client.status());
    if (result === null) throw new DomainError("git_failed", "Too many files have changed.");
    return statusOf(result);
  });

const statusOf = (status: StatusResult): RepositoryStatus => ({
  branch: status.detached ? null : status.current,
  tracking: status.tracking,
  ahead: status.ahead,
  behind: status.behind,
  files: status.files.slice(0, maxStatusFiles).map((file) => ({
    path: file.path,
    from: file.from ?? null,
    index: file.index,
    workingTree: file.working_dir,
  })),
  truncated: status.files.length > maxStatusFiles,
});

export interface RepositoryDiff {
  /** What differs from the last commit, without untracked files; invalid UTF-8 is replaced. */
  readonly diff: string;
  readonly truncated: boolean;
}

const maxDiffBytes = 64 * 1024;
const diffMarker = `\n[The diff goes on; only its first ${maxDiffBytes / 1024} KB are shown.]\n`;

/**
 * @param file only this file or folder, relative to the repository
 * @throws DomainError as {@link readStatus} does
 */
export const readDiff = (
  access: GitAccess,
  repository: string,
  file: string | null,
): Promise<RepositoryDiff> =>
  inRepository(access, repository, async (git) => {
    if (file !== null && !staysBelow(file)) throw outside(file);
    const options = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"];
    const base = await runGit(git, 1024, (client) =>
      client.raw(["rev-parse", "--verify", "HEAD"]),
    ).catch(() => null); // Nothing has been committed yet.
    const since = base === null ? ["--cached"] : ["HEAD"];
    const only = file === null ? [] : [file];
    const { stdout, result } = await runGit(git, maxDiffBytes, (client) =>
      client.raw(["diff", ...options, ...since, "--", ...only]),
    );
    const truncated = result === null;
    return { diff: stdout.toString("utf8") + (truncated ? diffMarker : ""), truncated };
  });

const staysBelow = (file: string): boolean =>
  !file.includes("\0") && !path.isAbsolute(file) && !path.normalize(file).startsWith("..");

/** Runs `work` in the opened folder, whatever happens to its path meanwhile. */
export const inRepository = async <T>(
  access: GitAccess,
  repository: string,
  work: (git: GitClientOptions) => Promise<T>,
): Promise<T> => {
  const { workspace } = access;
  const folder = await openFolderInside(workspace, repository);
  try {
    const git: GitClientOptions = {
      folder: stablePath(folder),
      ceiling: path.dirname(workspace.root),
      searchPath: access.searchPath,
      home: access.home,
    };
    // A `.git` file and `core.worktree` can name any folder of the machine.
    const where = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel"];
    const places = await runGit(git, 16_384, (client) => client.raw(where)).catch(() => null);
    const lines = places?.stdout.toString("utf8").trimEnd().split("\n") ?? [];
    const [gitFolder, top] = await Promise.all(
      lines.map((line) => realpath(line).catch(() => undefined)), // Gone, or never there.
    );
    if (gitFolder === undefined || top !== folder.realPath) {
      throw new DomainError(
        "repository_not_found",
        `${JSON.stringify(repository)} is no repository.`,
      );
    }
    if (!isInside(workspace.root, gitFolder)) throw outside(repository);
    return await work(git);
  } finally {
    await folder.handle.close();
  }
};
