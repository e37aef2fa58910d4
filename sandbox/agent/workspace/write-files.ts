/** Writes into the workspace, and nowhere else: see `confinement.ts`. */
import { constants } from "node:fs";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { isDomainError } from "#contracts/errors";
import {
  openFolderInside,
  pathInside,
  stablePath,
  type OpenedPath,
  type Workspace,
} from "./confinement.ts";

/**
 * Opens a folder and makes what is missing of it, step by step through open folders.
 * @throws DomainError as `openFolderInside` does
 */
export const makeFolderInside = async (workspace: Workspace, name: string): Promise<OpenedPath> => {
  const target = pathInside(workspace, name);
  const steps = path
    .relative(workspace.root, target)
    .split("/")
    .filter((step) => step !== "");
  let here = await openFolderInside(workspace, workspace.root);
  for (const step of steps) {
    try {
      await mkdir(`${stablePath(here)}/${step}`).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      const next = await openFolderInside(workspace, path.join(here.realPath, step));
      await here.handle.close();
      here = next;
    } catch (error) {
      await here.handle.close();
      throw error;
    }
  }
  return here;
};

/** While a file is being written. If this process dies meanwhile, it is what is left behind. */
export const unfinishedName = (name: string): string => `${name}.proliferate-unfinished`;

/** Replaces a file as a whole; only its owner may read it. A link of that name is replaced, not followed. */
export const replaceFileIn = async (
  folder: OpenedPath,
  name: string,
  content: string,
): Promise<void> => {
  const here = stablePath(folder);
  const unfinished = `${here}/${unfinishedName(name)}`;
  await rm(unfinished, { force: true });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  {
    await using file = await open(unfinished, flags, 0o600);
    await file.writeFile(content);
  }
  await rename(unfinished, `${here}/${name}`);
};

/** What a name is, as it stands; null if there is nothing. */
export const kindOf = async (
  folder: OpenedPath,
  name: string,
): Promise<"file" | "folder" | "link" | "other" | null> => {
  const stat = await lstat(`${stablePath(folder)}/${name}`).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  if (stat === null) return null;
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  return stat.isSymbolicLink() ? "link" : "other";
};

/**
 * Whether a folder that is not there yet could be made: what there is above it has to be folders inside.
 * @throws DomainError as `openFolderInside` does
 */
export const checkMissingFolder = async (workspace: Workspace, name: string): Promise<void> => {
  const target = pathInside(workspace, name);
  if (target === workspace.root) return;
  try {
    await (await openFolderInside(workspace, target)).handle.close();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await checkMissingFolder(workspace, path.dirname(target));
    // A link that leads nowhere is missing too, and nothing must be made where it points to.
    const parent = await openFolderInside(workspace, path.dirname(target)).catch(
      (cause: unknown) => {
        if (isMissing(cause)) return null;
        throw cause;
      },
    );
    if (parent === null) return;
    const kind = await kindOf(parent, path.basename(target)).finally(() => parent.handle.close());
    if (kind !== null) throw error;
  }
};

export const isMissing = (error: unknown): boolean => isDomainError(error, "file_not_found");
