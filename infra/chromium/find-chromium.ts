import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DomainError } from "#contracts/errors";
import { cacheFolder } from "../fetch/cache-folder.ts";
import { fetchChromium } from "./fetch-chromium.ts";

const run = promisify(execFile);

const usualPlaces = ["/usr/bin/chromium", "/usr/bin/google-chrome"];

export interface FindChromiumOptions {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Told in a few words what takes time. */
  readonly onProgress?: (message: string) => void;
}

/**
 * Finds a Chromium: `CHROMIUM_BIN`, an installed one, the cache folder; else takes Debian's package
 * with all that it needs into the cache folder, without root and without installing anything.
 *
 * @throws DomainError `prerequisite_missing` with one sentence that says what to do
 */
export const findChromium = async ({
  env,
  onProgress = () => undefined,
}: FindChromiumOptions): Promise<string> => {
  const configured = env["CHROMIUM_BIN"];
  if (configured !== undefined && configured !== "") {
    if (await runs(configured)) return configured;
    throw new DomainError(
      "prerequisite_missing",
      `CHROMIUM_BIN names ${configured}, which does not run: set it to a Chromium, or unset it.`,
    );
  }
  for (const path of usualPlaces) if (await runs(path)) return path;

  const folder = join(await cacheFolder(env), "chromium");
  const cached = join(folder, "chromium");
  if (await runs(cached)) return cached;

  onProgress("fetching chromium from the distribution's packages");
  const reason = await fetchChromium(folder).then(
    async () => ((await runs(cached)) ? undefined : "what was fetched does not run here"),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (reason === undefined) return cached;
  throw new DomainError(
    "prerequisite_missing",
    `No Chromium was found, and none could be fetched (${reason.trim().split("\n").at(-1) ?? ""}): ` +
      "install the chromium package, or set CHROMIUM_BIN to its path.",
  );
};

const runs = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await run(path, ["--version"], { timeout: 30_000 });
    return /Chrom/.test(stdout);
  } catch {
    // Absent, or its libraries are: in each case the next place is tried.
    return false;
  }
};
