import { snapshotWithoutSecrets } from "#sandbox/boot/snapshot";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { OwnerContext } from "../owner-context.ts";

/**
 * Puts a session's sandbox away, so that its files are there when somebody asks for the session again: by a
 * pause, or where the provider knows none, by a snapshot and an end. The snapshot is recorded before the
 * sandbox ends; whoever dies in between leaves a sandbox that is put away again.
 */
export const putAway = async (
  { deps: { provider }, command, epoch }: PutAwayContext,
  sandbox: SandboxRef,
): Promise<void> => {
  if (provider.capabilities.pause) {
    await provider.pause(sandbox);
    return;
  }
  if ((await provider.health(sandbox)).state === "gone") {
    return;
  }
  const snapshotId = await snapshotWithoutSecrets(provider, sandbox, { kind: null });
  await command({ type: "ReportPutAway", epoch, snapshotId });
  await provider.terminate(sandbox);
};

export type PutAwayContext = Pick<OwnerContext, "command" | "epoch"> & {
  readonly deps: Pick<OwnerContext["deps"], "provider">;
};
