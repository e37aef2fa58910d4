/** Takes a snapshot that somebody has asked for, and records what became of it. */
import type { SessionKind } from "#contracts/session/kind";
import { snapshotWithoutSecrets } from "#sandbox/boot/snapshot";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { SnapshotRequest } from "../../sessions/aggregate/state.ts";
import { failureOf } from "./bring-up.ts";
import type { OwnerContext } from "../owner-context.ts";
import { snapshotMessage } from "../untold.ts";

/**
 * Whoever dies in here leaves the request open, and the next owner takes another snapshot.
 * @throws DomainError `stale_owner`
 */
export const takeSnapshot = async (
  { deps, session, epoch, command, tell }: OwnerContext,
  { sandbox, kind }: { readonly sandbox: SandboxRef; readonly kind: SessionKind },
  { requestId }: SnapshotRequest,
): Promise<void> => {
  let snapshotId: string;
  try {
    snapshotId = await snapshotWithoutSecrets(deps.provider, sandbox, {
      kind,
      onNotRestored: (detail) => {
        deps.log.warn({ sessionId: session, detail }, "a sandbox lacks files since its snapshot");
      },
    });
  } catch (error) {
    deps.log.warn({ err: error, sessionId: session }, "a snapshot could not be taken");
    const failure = failureOf(error);
    await command({ type: "ReportSnapshotFailed", epoch, requestId, failure });
    tell(snapshotMessage({ requestId, failure }));
    return;
  }
  await command({ type: "ReportSnapshotTaken", epoch, requestId, snapshotId });
  tell(snapshotMessage({ requestId, snapshotId }));
};
