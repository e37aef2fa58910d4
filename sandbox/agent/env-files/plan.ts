/** The first of two passes: everything is looked at, nothing is written. */
import path from "node:path";
import { DomainError } from "#contracts/errors";
import { openFolderInside, type Workspace } from "../workspace/confinement.ts";
import { checkMissingFolder, isMissing, kindOf } from "../workspace/write-files.ts";
import { dotenvLine } from "./dotenv.ts";
import { isTracked, type GitOptions } from "./git-exclude.ts";
import type { EnvFile, EnvSpec } from "#contracts/sandbox/env-files";

export interface PlannedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly content: string;
}

export interface PlanOptions {
  readonly workspace: Workspace;
  readonly git: GitOptions;
  /** The value of a name; undefined without one. */
  readonly valueOf: (name: string) => string | undefined;
}

/** @throws DomainError `request_invalid` that names all problems at once */
export const planEnvFiles = async (
  options: PlanOptions,
  spec: EnvSpec,
): Promise<readonly PlannedFile[]> => {
  const problems: string[] = [];
  const planned: PlannedFile[] = [];
  const seen = new Set<string>();
  for (const file of spec.files) {
    const name = path.normalize(file.path);
    if (seen.has(name)) problems.push(`${file.path}: is there twice`);
    seen.add(name);
    const problem = await placeProblem(options, name);
    if (problem !== null) problems.push(`${file.path}: ${problem}`);
    planned.push({ path: name, content: contentOf(options, file, problems) });
  }
  if (problems.length === 0) return planned;
  throw new DomainError("request_invalid", `Nothing was written. ${problems.join("; ")}`);
};

const header = "# Written by `proliferate env apply`; changes are lost.\n";

const contentOf = (options: PlanOptions, file: EnvFile, problems: string[]): string => {
  const lines = [header];
  for (const variable of file.variables) {
    const { name, from = name } = variable;
    const value = variable.value ?? options.valueOf(from) ?? variable.default;
    if (value === undefined) {
      if (variable.required) problems.push(`${file.path}: nobody has given ${from} a value`);
      continue;
    }
    const line = dotenvLine(name, value);
    if (line === null) problems.push(`${file.path}: the value of ${from} cannot be written safely`);
    else lines.push(line);
  }
  return lines.join("");
};

/** Null when a file may be written there. */
const placeProblem = async (options: PlanOptions, name: string): Promise<string | null> => {
  try {
    return await existingProblem(options, name);
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
};

const existingProblem = async (options: PlanOptions, name: string): Promise<string | null> => {
  const { workspace, git } = options;
  const parent = path.dirname(name);
  const folder = await openFolderInside(workspace, parent).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    await checkMissingFolder(workspace, parent);
    return null;
  });
  if (folder === null) return null;
  try {
    const base = path.basename(name);
    const kind = await kindOf(folder, base);
    if (kind !== null && kind !== "file") return `there is a ${kind} of this name`;
    return (await isTracked(git, folder, base)) ? "is a file that git keeps" : null;
  } finally {
    await folder.handle.close();
  }
};
