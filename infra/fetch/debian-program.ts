/** Programs that the distribution has packages of: found where they are, or taken from there without root. */
import { execFile } from "node:child_process";
import { access, constants, readdir, rename } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { DomainError } from "#contracts/errors";
import { cacheFolder } from "./cache-folder.ts";
import { privateApt, unpackDeb } from "./private-apt.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

export interface DebianProgram {
  /** For people. */
  readonly title: string;
  readonly package: string;
  /** The file's name, in `usr/bin` of the package. */
  readonly command: string;
  /** Names the program's path, if somebody has set it. */
  readonly variable: string;
  /** Has the program say which it is. */
  readonly versionArgument: string;
  readonly version: RegExp;
}

export interface FindProgramOptions {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Told in a few words what takes time. */
  readonly onProgress?: (message: string) => void;
}

/**
 * Looks at the program's variable, then `PATH`, then the cache folder; else takes the distribution's package
 * into the cache folder.
 *
 * @throws DomainError `prerequisite_missing` with one sentence that says what to do
 */
export const findDebianProgram = async (
  program: DebianProgram,
  { env, onProgress = () => undefined }: FindProgramOptions,
): Promise<string> => {
  const { title, command, variable } = program;
  const configured = env[variable];
  if (configured !== undefined && configured !== "") {
    if (await runs(program, configured)) return configured;
    throw new DomainError(
      "prerequisite_missing",
      `${variable} names ${configured}, which is no ${title} that runs here: set it to one, or unset it.`,
    );
  }
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    const candidate = join(folder, command);
    if (await runs(program, candidate)) return candidate;
  }
  const cached = join(await cacheFolder(env), command);
  if (await runs(program, cached)) return cached;

  onProgress(`fetching ${program.package} from the distribution's packages`);
  const reason = await fetchProgram(program, cached).then(
    async () => ((await runs(program, cached)) ? undefined : "what was fetched does not run here"),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (reason === undefined) return cached;
  throw new DomainError(
    "prerequisite_missing",
    `No ${title} was found, and none could be fetched (${reason.trim().split("\n").at(-1) ?? ""}): ` +
      `install the ${program.package} package, or set ${variable} to its path.`,
  );
};

/** Puts the program at `target` (complete or not at all), without root and without installing it. */
const fetchProgram = (program: DebianProgram, target: string): Promise<void> =>
  withTemporaryFolder(dirname(target), async (folder) => {
    const apt = await privateApt(folder);
    await apt.aptGet("update");
    await apt.aptGet("download", program.package);
    const file = (await readdir(apt.archives)).find((name) => name.endsWith(".deb"));
    if (file === undefined) throw new Error("the package was not downloaded");
    const unpacked = join(folder, "unpacked");
    await unpackDeb(join(apt.archives, file), unpacked);
    await rename(join(unpacked, "usr/bin", program.command), target);
  });

const runs = async (program: DebianProgram, path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await run(path, [program.versionArgument], { timeout: 20_000 });
    return program.version.test(stdout.trim());
  } catch {
    // Absent, for another machine, or not a program: in each case the next place is tried.
    return false;
  }
};
