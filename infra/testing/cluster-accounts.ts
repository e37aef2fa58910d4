/**
 * The accounts of the cluster that a whole test run shares. Each has streams of its own, so that whoever
 * takes one is as alone as on a server of its own.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

/** More than all tests of a run take. */
const accountCount = 256;

export const accountNames = Array.from({ length: accountCount }, (_, index) => `test${index}`);

export interface SharedCluster {
  /** Of all nodes, separated by commas. */
  readonly url: string;
  /** Holds a folder for each account that is taken. */
  readonly takenAccounts: string;
  /** The servers look for time zones here before they look among the system's. */
  readonly timeZones: string;
}

/** Takes an account that nobody in any process has had, and answers the URL with its user. */
export const takeAccount = async ({ url, takenAccounts }: SharedCluster): Promise<string> => {
  for (const name of accountNames) {
    if (await makesFolder(join(takenAccounts, name))) {
      return url.replaceAll("nats://", `nats://${name}:${name}@`);
    }
  }
  throw new Error(`All ${accountCount} accounts of the test cluster are taken.`);
};

/** Of all who make the same folder, one succeeds. */
const makesFolder = async (path: string): Promise<boolean> => {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
};
