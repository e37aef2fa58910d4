import type { SessionId } from "#contracts/ids";
import type { SandboxProvider } from "#sandbox/provider/provider";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import type { OwnerContext } from "../owner-context.ts";
import { otherSandbox, sandboxRefOf } from "./sandbox-ref.ts";

/**
 * Removes all that a deleted session has: its sandboxes, its snapshots, the values that it was given. What a
 * setup session has saved belongs to its configuration, and stays. Doing it again does nothing; what fails is
 * tried again by the next owner.
 */
export const tearDown = async (
  { deps: { provider, values }, organization, session }: OwnerContext,
  state: ExistingSession,
): Promise<void> => {
  for (const generation of state.spares) {
    await provider.terminate(otherSandbox(session, generation));
  }
  await provider.terminate(sandboxRefOf(session, state));
  if (state.kind !== "setup") await deleteSnapshots(provider, session);
  await values.forget({ organization, session }, state.environment.names);
};

const deleteSnapshots = async (provider: SandboxProvider, session: SessionId): Promise<void> => {
  const { listSnapshots, deleteSnapshot } = provider;
  if (!listSnapshots || !deleteSnapshot) return;
  for (const { sessionId, snapshotId } of await listSnapshots.call(provider)) {
    if (sessionId === session) await deleteSnapshot.call(provider, snapshotId);
  }
};

/** Whether nothing is left of a deleted session but its snapshots. */
export const isTornDown = async (
  provider: Pick<SandboxProvider, "health">,
  session: SessionId,
  state: ExistingSession,
): Promise<boolean> => {
  const others = state.spares.map((generation) => otherSandbox(session, generation));
  for (const sandbox of [sandboxRefOf(session, state), ...others]) {
    if ((await provider.health(sandbox)).state !== "gone") return false;
  }
  return true;
};
