import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import type { Account } from "../process/run-as.ts";

const run = promisify(execFile);

/**
 * The account to run Postgres as, since it refuses to run as root; undefined means as the caller.
 * The owner of `cluster` if that is there; else the system's own `postgres` account or `nobody`, so
 * that no account has to be created.
 */
export const postgresAccount = async (cluster: string): Promise<Account | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  return (await ownerOf(cluster)) ?? (await lookUp("postgres")) ?? (await lookUp("nobody"));
};

const ownerOf = async (path: string): Promise<Account | undefined> => {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch {
    // The first start: nothing is there.
    return undefined;
  }
};

const lookUp = async (name: string): Promise<Account | undefined> => {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    // There is no such account here.
    return undefined;
  }
};
