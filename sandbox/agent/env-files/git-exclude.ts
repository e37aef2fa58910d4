/** Keeps files out of commits without touching a file that is committed itself (gitignore(5), `info/exclude`). */
import { constants } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import path from "node:path";
import { DomainError } from "#contracts/errors";
import { runGit } from "../git/git-client.ts";
import {
  isInside,
  outside,
  stablePath,
  type OpenedPath,
  type Workspace,
} from "../workspace/confinement.ts";

export interface GitOptions {
  readonly workspace: Workspace;
  readonly searchPath: string;
  readonly home: string;
}

/** False also where there is no repository. */
export const isTracked = async (
  options: GitOptions,
  folder: OpenedPath,
  name: string,
): Promise<boolean> => {
  const tracked = await ask(options, folder, ["ls-files", "--", name]);
  return tracked !== null && tracked !== "";
};

/** Does nothing where there is no repository, or for what is excluded already. */
export const excludeFromGit = async (
  options: GitOptions,
  folder: OpenedPath,
  names: readonly string[],
): Promise<void> => {
  const where = ["--show-prefix", "--path-format=absolute", "--git-path", "info/exclude"];
  const answer = await ask(options, folder, ["rev-parse", ...where]);
  if (answer === null) return;
  const [prefix = "", file = ""] = answer.split("\n");
  if (!isInside(options.workspace.root, file)) throw outside(file);
  const before = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const known = new Set(before.split("\n"));
  const missing = names
    .map((name) => `/${escapePattern(prefix + name)}`)
    .filter((line) => !known.has(line));
  if (missing.length === 0) return;
  await mkdir(path.dirname(file), { recursive: true });
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  await using exclude = await open(file, flags, 0o644);
  const separator = before === "" || before.endsWith("\n") ? "" : "\n";
  await exclude.write(`${separator}${missing.join("\n")}\n`);
};

/** Stands for exactly this path. A space at the end would be dropped. */
const escapePattern = (name: string): string =>
  name.replace(/[\\*?[\]]/g, "\\$&").replace(/ $/, "\\ ");

const maxAnswerBytes = 64 * 1024;

/** What git says in a folder, without the last line break; null where there is no repository. */
const ask = async (
  options: GitOptions,
  folder: OpenedPath,
  args: string[],
): Promise<string | null> => {
  const git = {
    folder: stablePath(folder),
    ceiling: path.dirname(options.workspace.root),
    searchPath: options.searchPath,
    home: options.home,
  };
  try {
    const { stdout } = await runGit(git, maxAnswerBytes, (client) => client.raw(args));
    return stdout.toString("utf8").replace(/\n$/, "");
  } catch (error) {
    if (error instanceof DomainError && /not a git repository/.test(error.message)) return null;
    throw error;
  }
};
