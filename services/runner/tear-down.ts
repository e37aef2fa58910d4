import type { SessionId } from "#contracts/ids";
import type { SandboxProvider } from "#sandbox/provider/provider";
import type { ExistingSession } from "../sessions/state.ts";
import type { OwnerContext } from "./owner-context.ts";
import { otherSandbox, sandboxRefOf } from "./sandbox-ref.ts";

/** Ends every sandbox that a session may have. */
export const tearDown = async (
  { deps: { provider }, session }: OwnerContext,
  state: ExistingSession,
): Promise<void> => {
  for (const generation of state.spares) {
    await provider.terminate(otherSandbox(session, generation));
  }
  await provider.terminate(sandboxRefOf(session, state));
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
