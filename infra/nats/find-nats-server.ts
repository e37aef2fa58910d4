import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { DomainError } from "#contracts/errors";
import { cacheFolder } from "../fetch/cache-folder.ts";
import { natsFromDebian } from "./nats-from-debian.ts";
import { natsFromRelease } from "./nats-from-release.ts";
import { isRecentEnough, minimumNatsVersion, parseNatsVersion } from "./version.ts";

const run = promisify(execFile);

/** Puts a `nats-server` at `target` (complete or not at all), or throws. */
export interface NatsFetcher {
  readonly name: string;
  fetchTo(target: string): Promise<void>;
}

export interface FindNatsServerOptions {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Where to get one from when the machine has none, in this order. */
  readonly fetchers?: readonly NatsFetcher[];
  /** Told in a few words what takes time. */
  readonly onProgress?: (message: string) => void;
}

/**
 * Finds a `nats-server` of at least {@link minimumNatsVersion}: `NATS_SERVER_BIN`, then `PATH`, then
 * the cache folder; else fetches one into the cache folder. Two processes may do so at once.
 *
 * @throws DomainError `prerequisite_missing` with one sentence that says what to do
 */
export const findNatsServer = async ({
  env,
  fetchers = [natsFromDebian(), natsFromRelease()],
  onProgress = () => undefined,
}: FindNatsServerOptions): Promise<string> => {
  const configured = env["NATS_SERVER_BIN"];
  if (configured !== undefined && configured !== "") return checkConfigured(configured);

  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    const candidate = join(folder, "nats-server");
    if (await isUsable(candidate)) return candidate;
  }

  const cached = join(await cacheFolder(env), "nats-server");
  if (await isUsable(cached)) return cached;

  const failures: string[] = [];
  for (const fetcher of fetchers) {
    onProgress(`fetching nats-server from ${fetcher.name}`);
    try {
      await fetcher.fetchTo(cached);
      if (await isUsable(cached)) return cached;
      failures.push(`${fetcher.name}: what it has is too old or does not run here`);
    } catch (error) {
      failures.push(`${fetcher.name}: ${reasonOf(error)}`);
    }
  }
  throw new DomainError(
    "prerequisite_missing",
    `No nats-server ${minimumNatsVersion} or newer was found, and none could be fetched (${failures.join("; ")}): ` +
      "install one and put it on PATH, or set NATS_SERVER_BIN to its path.",
  );
};

const checkConfigured = async (path: string): Promise<string> => {
  const version = await versionOf(path);
  if (version !== undefined && isRecentEnough(version)) return path;
  const found = version === undefined ? "is not a nats-server that runs here" : `is ${version}`;
  throw new DomainError(
    "prerequisite_missing",
    `NATS_SERVER_BIN names ${path}, which ${found}: set it to a nats-server ${minimumNatsVersion} or newer, or unset it.`,
  );
};

const isUsable = async (path: string): Promise<boolean> => {
  const version = await versionOf(path);
  return version !== undefined && isRecentEnough(version);
};

/** Undefined when there is no such program, or it does not run, or it is something else. */
const versionOf = async (path: string): Promise<string | undefined> => {
  try {
    await access(path, constants.X_OK);
    const { stdout, stderr } = await run(path, ["--version"], { timeout: 20_000 });
    return parseNatsVersion(stdout + stderr);
  } catch {
    // Absent, for another machine, or not a program: in each case the next place is tried.
    return undefined;
  }
};

const reasonOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.trim().split("\n").at(-1) ?? "";
  return line.slice(0, 200).replace(/[.:]+$/, "");
};
