import type { SessionState } from "../../sessions/aggregate/state.ts";

/**
 * Whether a session could still ask for a snapshot: as its own, as that of its configuration while it has
 * neither a sandbox nor a snapshot of its own, or as its sandbox itself, which at some providers is the same.
 *
 * What is not needed stays so, whatever happens to the session: having had a sandbox is never taken back.
 */
export const needsSnapshot = (session: SessionState, snapshotId: string): boolean => {
  if (session.status === "none" || session.status === "stopped") return false;
  const { sandboxId, snapshotId: own, configuration } = session;
  if (own === snapshotId || sandboxId === snapshotId) return true;
  const startsFromIt = configuration?.snapshot?.snapshotId === snapshotId;
  return startsFromIt && sandboxId === null && own === null;
};
