import { constants } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { findSetpriv, type Program } from "./setpriv.ts";

/** An account of the operating system, by number. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** How to start a program as another account: what `spawn` gets instead of the program. */
export interface RunAs extends Program {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Says how root starts a program as `account`. When the account cannot reach all of `paths` (a
 * folder under a private home), the program keeps one right of root, to pass through folders;
 * without `setpriv` it is started without, and will say itself what it cannot reach.
 */
export const runAs = async (
  account: Account,
  program: Program,
  paths: readonly string[],
): Promise<RunAs> => {
  const reachable = await Promise.all([program.command, ...paths].map(isReachableByOthers));
  const setpriv = reachable.includes(false) ? await findSetpriv() : undefined;
  if (setpriv === undefined) return { ...program, ...account };
  return {
    command: setpriv,
    args: [
      `--reuid=${String(account.uid)}`,
      `--regid=${String(account.gid)}`,
      "--clear-groups",
      // Without it access(2), with which Postgres looks for its own files, ignores the right.
      "--securebits=+no_setuid_fixup",
      "--inh-caps=+dac_override",
      "--ambient-caps=+dac_override",
      "--",
      program.command,
      ...program.args,
    ],
  };
};

/** Whether everybody may pass all folders above a path and, if it is a file, may run it. */
const isReachableByOthers = async (path: string): Promise<boolean> => {
  const self = await stat(path);
  if (self.isFile() && (self.mode & constants.S_IXOTH) === 0) return false;
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & constants.S_IXOTH) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
};
