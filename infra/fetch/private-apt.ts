import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Long enough for a slow mirror, short enough to end on a dead one. */
const commandTimeoutMs = 5 * 60_000;

/** An apt with lists and a download folder of its own: it needs no root and changes nothing outside. */
export interface PrivateApt {
  readonly archives: string;
  aptGet(...args: readonly string[]): Promise<void>;
}

/**
 * Sets apt up in `folder`, for the machine's own sources, or for `sources` (in deb822 format) alone.
 */
export const privateApt = async (folder: string, sources?: string): Promise<PrivateApt> => {
  const lists = join(folder, "lists");
  const cache = join(folder, "cache");
  const archives = join(cache, "archives");
  await mkdir(join(lists, "partial"), { recursive: true });
  await mkdir(join(archives, "partial"), { recursive: true });
  const settings = [
    `Dir::State::Lists=${lists}`,
    `Dir::Cache=${cache}`,
    "APT::Sandbox::User=", // The folder is private, so the download runs as the caller.
    "Acquire::Languages=none",
    "Acquire::Retries=2",
    "Acquire::http::Timeout=20",
    "Acquire::https::Timeout=20",
    "Debug::NoLocking=true", // Nothing of the machine's own apt is written to.
  ];
  if (sources !== undefined) {
    const file = join(folder, "private.sources");
    const none = join(folder, "no-more-sources");
    await writeFile(file, sources);
    await mkdir(none, { recursive: true });
    settings.push(`Dir::Etc::sourcelist=${file}`, `Dir::Etc::sourceparts=${none}`);
  }
  const options = settings.flatMap((setting) => ["-o", setting]);
  return {
    archives,
    aptGet: async (...args) => {
      await run("apt-get", [...options, "-qq", ...args], {
        cwd: archives,
        timeout: commandTimeoutMs,
        maxBuffer: 64 * 1024 * 1024,
      });
    },
  };
};

/** Unpacks a `.deb` file into a folder without installing it. */
export const unpackDeb = async (file: string, target: string): Promise<void> => {
  await run("dpkg", ["-x", file, target], { timeout: commandTimeoutMs });
};
