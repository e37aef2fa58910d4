/**
 * Opens what a request names, and nothing outside the workspace.
 *
 * A path that was checked may be another one by the time it is opened: whoever works in the workspace can
 * swap a folder for a symbolic link in between. So it is opened first, and then the kernel is asked what has
 * been opened (`/proc/self/fd`); from there on everything goes through the open file. Linux only, as
 * sandboxes are.
 */
import { constants } from "node:fs";
import { open, readlink, realpath, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { DomainError } from "#contracts/errors";

export interface Workspace {
  /** Absolute, with all symbolic links resolved. */
  readonly root: string;
}

export const openWorkspace = async (folder: string): Promise<Workspace> => ({
  root: await realpath(folder),
});

/** Something open inside the workspace; close `handle`. */
export interface OpenedPath {
  readonly handle: FileHandle;
  /** Where it really is, as an absolute path; for people, not for opening it again. */
  readonly realPath: string;
}

/** The open file or folder under a name that stays the same thing whatever happens to its path. */
export const stablePath = ({ handle }: Pick<OpenedPath, "handle">): string =>
  `/proc/${process.pid}/fd/${handle.fd}`;

/**
 * A regular file, for reading.
 * @param name relative to the workspace, or absolute and below it
 * @throws DomainError `path_outside_workspace`, `file_not_found`, `file_unreadable`
 */
export const openFileInside = async (workspace: Workspace, name: string): Promise<OpenedPath> => {
  const opened = await openInside(workspace, name, 0);
  const stat = await opened.handle.stat();
  if (stat.isFile()) return opened;
  await opened.handle.close();
  const what = stat.isDirectory() ? "a folder" : "not a regular file";
  throw new DomainError("file_unreadable", `${shown(name)} is ${what}.`);
};

/** A folder; the same errors as {@link openFileInside}. */
export const openFolderInside = (workspace: Workspace, name: string): Promise<OpenedPath> =>
  openInside(workspace, name, constants.O_DIRECTORY);

const openInside = async (
  workspace: Workspace,
  name: string,
  moreFlags: number,
): Promise<OpenedPath> => {
  const target = pathInside(workspace, name);
  // Without O_NONBLOCK, opening a named pipe would wait for somebody to write to it.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | moreFlags;
  const handle = await open(target, flags).catch((error: unknown) => {
    throw cannotOpen(name, error);
  });
  try {
    const realPath = await readlink(`/proc/self/fd/${handle.fd}`);
    if (!isInside(workspace.root, realPath)) throw outside(name);
    return { handle, realPath };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/**
 * What a name means, as an absolute path, by its letters alone: links may still lead out of it.
 * @throws DomainError `path_outside_workspace`
 */
export const pathInside = (workspace: Workspace, name: string): string => {
  if (name.includes("\0")) throw outside(name);
  const target = path.resolve(workspace.root, name);
  if (!isInside(workspace.root, target)) throw outside(name);
  return target;
};

export const isInside = (root: string, target: string): boolean =>
  target === root || target.startsWith(root.endsWith("/") ? root : `${root}/`);

export const outside = (name: string): DomainError =>
  new DomainError("path_outside_workspace", `${shown(name)} is not inside the workspace.`);

/** Names come from outside and go into messages: short, and on one line. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 200));

const cannotOpen = (name: string, error: unknown): DomainError => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const reason = reasons[String(code)];
  if (reason === undefined)
    return new DomainError("file_unreadable", `${shown(name)} cannot be opened.`, { cause: error });
  return new DomainError(reason[0], `${shown(name)} ${reason[1]}.`, { cause: error });
};

const reasons: Record<string, readonly ["file_not_found" | "file_unreadable", string] | undefined> =
  {
    ENOENT: ["file_not_found", "does not exist"],
    ENOTDIR: ["file_not_found", "is not a folder, or below something that is none"],
    ENAMETOOLONG: ["file_not_found", "is longer than a path can be"],
    ELOOP: ["file_unreadable", "is a symbolic link that leads to itself"],
    ENXIO: ["file_unreadable", "is not a regular file"],
    EACCES: ["file_unreadable", "may not be read"],
  };
