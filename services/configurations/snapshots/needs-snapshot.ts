import { holdsSnapshots } from "#sandbox/providers/snapshot-holders";
import type { SessionState } from "../../sessions/aggregate/state.ts";

/**
 * Whether a session could still ask for a snapshot: as its own, or as that of its configuration while it has
 * neither a sandbox nor a snapshot of its own. A provider that holds snapshots removes none while there are
 * sandboxes that began with it: there, the session needs it to its end.
 *
 * What is not needed stays so, whatever happens to the session: having had a sandbox is never taken back.
 */
export const needsSnapshot = (session: SessionState, snapshotId: string): boolean => {
  if (session.status === "none" || session.status === "stopped") return false;
  const { sandboxId, snapshotId: own, configuration } = session;
  if (own === snapshotId) return true;
  const begin = configuration?.snapshot;
  if (begin?.snapshotId !== snapshotId) return false;
  return holdsSnapshots(begin.provider) || (sandboxId === null && own === null);
};
