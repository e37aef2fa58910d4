import type { Log } from "#event-store/log";
import { snapshotVersion } from "./snapshot-version.ts";

/**
 * The version of what this program bakes into sandboxes, computed when it is first asked for; null where
 * its sources are not beside it.
 */
export const knownSnapshotVersion = (log: Pick<Log, "warn">): (() => Promise<string | null>) => {
  let known: Promise<string | null> | null = null;
  return () =>
    (known ??= snapshotVersion().catch((error: unknown) => {
      log.warn({ err: error }, "the version of sandboxes is not known");
      return null;
    }));
};
