import type { SessionId } from "#contracts/ids";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { SessionState } from "../sessions/state.ts";

/** How a provider finds the session's sandbox. */
export const sandboxRefOf = (sessionId: SessionId, state: SessionState): SandboxRef => ({
  sessionId,
  sandboxId: state.status === "none" ? null : state.sandboxId,
  snapshotId: state.status === "none" ? null : state.snapshotId,
});
