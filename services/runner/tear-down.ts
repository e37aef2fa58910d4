import type { SandboxProvider } from "#sandbox/provider/provider";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { ExistingSession } from "../sessions/state.ts";

/**
 * Removes all that a deleted session has at its provider. What a setup session has saved belongs to its
 * configuration, and stays. Doing it again does nothing; what fails is tried again by the next owner.
 */
export const tearDown = async (
  provider: SandboxProvider,
  sandbox: SandboxRef,
  { kind }: Pick<ExistingSession, "kind">,
): Promise<void> => {
  await provider.terminate(sandbox);
  const { listSnapshots, deleteSnapshot } = provider;
  if (kind === "setup" || !listSnapshots || !deleteSnapshot) return;
  for (const { sessionId, snapshotId } of await listSnapshots.call(provider)) {
    if (sessionId === sandbox.sessionId) await deleteSnapshot.call(provider, snapshotId);
  }
};
