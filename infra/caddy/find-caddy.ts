import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { DomainError } from "#contracts/errors";
import { cacheFolder } from "../fetch/cache-folder.ts";
import { fetchCaddy } from "./caddy-from-debian.ts";

const run = promisify(execFile);

export interface FindCaddyOptions {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Told in a few words what takes time. */
  readonly onProgress?: (message: string) => void;
}

/**
 * Finds a Caddy 2: `CADDY_BIN`, then `PATH`, then the cache folder; else takes the distribution's package into
 * the cache folder.
 *
 * @throws DomainError `prerequisite_missing` with one sentence that says what to do
 */
export const findCaddy = async ({
  env,
  onProgress = () => undefined,
}: FindCaddyOptions): Promise<string> => {
  const configured = env["CADDY_BIN"];
  if (configured !== undefined && configured !== "") {
    if (await runs(configured)) return configured;
    throw new DomainError(
      "prerequisite_missing",
      `CADDY_BIN names ${configured}, which is no Caddy 2 that runs here: set it to one, or unset it.`,
    );
  }
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    const candidate = join(folder, "caddy");
    if (await runs(candidate)) return candidate;
  }
  const cached = join(await cacheFolder(env), "caddy");
  if (await runs(cached)) return cached;

  onProgress("fetching caddy from the distribution's packages");
  const reason = await fetchCaddy(cached).then(
    async () => ((await runs(cached)) ? undefined : "what was fetched does not run here"),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (reason === undefined) return cached;
  throw new DomainError(
    "prerequisite_missing",
    `No Caddy was found, and none could be fetched (${reason.trim().split("\n").at(-1) ?? ""}): ` +
      "install the caddy package, or set CADDY_BIN to its path.",
  );
};

const runs = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await run(path, ["version"], { timeout: 20_000 });
    return /^v?2\./.test(stdout.trim());
  } catch {
    // Absent, for another machine, or not a program: in each case the next place is tried.
    return false;
  }
};
