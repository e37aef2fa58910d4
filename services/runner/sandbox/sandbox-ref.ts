import type { SessionId } from "#contracts/ids";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { SessionState } from "../../sessions/aggregate/state.ts";

/** How a provider finds the session's sandbox. */
export const sandboxRefOf = (sessionId: SessionId, state: SessionState): SandboxRef => ({
  sessionId,
  generation: state.status === "none" ? 0 : state.generation,
  sandboxId: state.status === "none" ? null : state.sandboxId,
  snapshotId: state.status === "none" ? null : state.snapshotId,
});

/** How a provider finds another sandbox of the session than its present one. */
export const otherSandbox = (sessionId: SessionId, generation: number): SandboxRef => ({
  sessionId,
  generation,
  sandboxId: null,
  snapshotId: null,
});
