/** Puts files with environment variables into the workspace, and takes them out again before a snapshot. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import {
  openFolderInside,
  pathInside,
  stablePath,
  type Workspace,
} from "../workspace/confinement.ts";
import {
  isMissing,
  makeFolderInside,
  replaceFileIn,
  unfinishedName,
} from "../workspace/write-files.ts";
import { excludeFromGit, type GitOptions } from "./git-exclude.ts";
import { planEnvFiles, type PlanOptions } from "./plan.ts";
import type { EnvSpec } from "#contracts/sandbox/env-files";

export interface EnvFilesOptions {
  readonly workspace: Workspace;
  readonly git: GitOptions;
  /** Remembers what has been written; outside the workspace. */
  readonly recordFile: string;
}

/**
 * Writes all files of a specification, or none if anything is wrong with one of them.
 * @returns the files, relative to the workspace
 * @throws DomainError `request_invalid` with all that is wrong
 */
export const applyEnvFiles = async (
  options: EnvFilesOptions,
  spec: EnvSpec,
  valueOf: PlanOptions["valueOf"],
): Promise<readonly string[]> => {
  const { workspace, git } = options;
  const planned = await planEnvFiles({ workspace, git, valueOf }, spec);
  // First remembered and excluded, then written: wherever this process dies, no secret is forgotten.
  const places = planned.map((file) => pathInside(workspace, file.path));
  await record(options, [...new Set([...(await recorded(options)), ...places])]);
  for (const file of planned) {
    const folder = await makeFolderInside(workspace, path.dirname(file.path));
    const name = path.basename(file.path);
    try {
      await excludeFromGit(git, folder, [name, unfinishedName(name)]);
      await replaceFileIn(folder, name, file.content);
    } finally {
      await folder.handle.close();
    }
  }
  return planned.map((file) => file.path);
};

/**
 * Removes what {@link applyEnvFiles} has ever written and, given a specification, all that it names.
 * @returns what was removed, relative to the workspace
 */
export const scrubEnvFiles = async (
  options: EnvFilesOptions,
  spec: EnvSpec | null,
): Promise<readonly string[]> => {
  const { workspace } = options;
  const named = spec?.files.map((file) => pathInside(workspace, file.path)) ?? [];
  const removed: string[] = [];
  for (const place of new Set([...(await recorded(options)), ...named])) {
    const isRemoved = await removeInside(workspace, place);
    if (isRemoved) removed.push(path.relative(workspace.root, place));
  }
  await rm(options.recordFile, { force: true });
  return removed;
};

const removeInside = async (workspace: Workspace, name: string): Promise<boolean> => {
  const folder = await openFolderInside(workspace, path.dirname(name)).catch((error: unknown) => {
    // Its whole folder is gone.
    if (isMissing(error)) return null;
    throw error;
  });
  if (folder === null) return false;
  try {
    const here = stablePath(folder);
    const base = path.basename(name);
    await rm(`${here}/${unfinishedName(base)}`, { force: true });
    return await rm(`${here}/${base}`).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return false;
        throw error;
      },
    );
  } finally {
    await folder.handle.close();
  }
};

/** Absolute paths: the next call may name another folder as its workspace. */
const recordSchema = z.object({ files: z.array(z.string()) });

const recorded = async ({ recordFile }: EnvFilesOptions): Promise<readonly string[]> => {
  const text = await readFile(recordFile, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return '{"files":[]}';
    throw error;
  });
  return recordSchema.parse(JSON.parse(text)).files;
};

const record = async ({ recordFile }: EnvFilesOptions, files: readonly string[]): Promise<void> => {
  await mkdir(path.dirname(recordFile), { recursive: true, mode: 0o700 });
  const content: z.infer<typeof recordSchema> = { files: [...files] };
  await writeFile(`${recordFile}.new`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${recordFile}.new`, recordFile);
};
