import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, chown, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DomainError } from "#contracts/errors";
import { type Account, runAs } from "../process/run-as.ts";
import type { PostgresBinaries } from "./binaries.ts";

const run = promisify(execFile);
const initTimeoutMs = 2 * 60_000;
const unfinishedPrefix = "cluster.unfinished-";

export const superuser = "proliferate";

export interface Cluster {
  /** What Postgres calls its data directory. */
  readonly folder: string;
  readonly password: string;
}

export interface PrepareClusterOptions {
  readonly dataDir: string;
  readonly binaries: PostgresBinaries;
  readonly account: Account | undefined;
  /** Whether to wait until the new files are on the disk. */
  readonly fsync: boolean;
}

/**
 * The database files below `dataDir`, made on the first start with a password of their own. They are
 * made beside their place and renamed, so a start that is killed on the way leaves none half made.
 */
export const prepareCluster = async (options: PrepareClusterOptions): Promise<Cluster> => {
  const { dataDir } = options;
  const folder = join(dataDir, "cluster");
  const passwordFile = join(dataDir, "password");
  await removeUnfinished(dataDir);
  if (await exists(folder)) {
    const password = (await readFile(passwordFile, "utf8")).trim();
    return { folder, password };
  }
  const password = randomBytes(18).toString("base64url");
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  const unfinished = join(dataDir, `${unfinishedPrefix}${String(process.pid)}`);
  await mkdir(unfinished, { mode: 0o700 });
  if (options.account !== undefined) {
    const { uid, gid } = options.account;
    await Promise.all([passwordFile, unfinished].map((path) => chown(path, uid, gid)));
  }
  await initialise(options, unfinished, passwordFile);
  await rename(unfinished, folder);
  return { folder, password };
};

const initialise = async (
  { binaries, account, fsync }: PrepareClusterOptions,
  folder: string,
  passwordFile: string,
): Promise<void> => {
  const initdb = {
    command: binaries.initdb,
    args: [
      `--pgdata=${folder}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      // Sorts the same on every machine, whatever locales that has.
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      ...(fsync ? [] : ["--no-sync"]),
    ],
  };
  const { command, args, ...as } = account
    ? await runAs(account, initdb, [folder, passwordFile])
    : initdb;
  try {
    await run(command, args, { ...as, timeout: initTimeoutMs, cwd: "/" });
  } catch (error) {
    const output = (error as { stderr?: string }).stderr ?? String(error);
    throw new DomainError(
      "prerequisite_missing",
      `Postgres could not create its data folder: ${output.trim().slice(-500)}`,
      { cause: error },
    );
  }
};

const removeUnfinished = async (dataDir: string): Promise<void> => {
  const names = await readdir(dataDir);
  for (const name of names.filter((entry) => entry.startsWith(unfinishedPrefix))) {
    // Retried: an initdb that has lost its parent may still be writing there.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 });
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
