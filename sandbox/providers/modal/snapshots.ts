/** Snapshots of a running sandbox, and how their ids are told apart. */
import type { ModalClient, Sandbox } from "modal";
import { DomainError } from "#contracts/errors";
import { isGone } from "./failures.ts";

const memoryPrefix = "mem:";
const snapshotTimeoutMs = 10 * 60_000;

export const isMemorySnapshot = (snapshotId: string): boolean =>
  snapshotId.startsWith(memoryPrefix);

/** Modal's id of it. @throws DomainError `sandbox_snapshot_not_found` for an id of another kind */
export const memorySnapshotId = (snapshotId: string): string => {
  if (isMemorySnapshot(snapshotId)) return snapshotId.slice(memoryPrefix.length);
  throw new DomainError("sandbox_snapshot_not_found", "This is not a memory snapshot's id.", {
    fields: { snapshotId },
  });
};

/** An image's id. Kept until somebody deletes it: a session may be asked to go on after any time. */
export const snapshotFiles = async (sandbox: Sandbox): Promise<string> =>
  (await sandbox.snapshotFilesystem({ ttlMs: null, timeoutMs: snapshotTimeoutMs })).imageId;

/**
 * Removes an image. One that is gone is removed.
 *
 * @throws DomainError `sandbox_operation_unsupported` for a memory snapshot, which Modal ends by itself
 */
export const deleteSnapshotFiles = async (
  client: Pick<ModalClient, "images">,
  snapshotId: string,
): Promise<void> => {
  if (isMemorySnapshot(snapshotId)) {
    throw new DomainError("sandbox_operation_unsupported", "Modal removes no memory snapshots.", {
      fields: { snapshotId },
    });
  }
  try {
    await client.images.delete(snapshotId);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
};

/** `mem:…`. The sandbox ends with it, as Modal's protocol says. */
export const snapshotMemory = async (sandbox: Sandbox): Promise<string> =>
  `${memoryPrefix}${(await sandbox.experimentalSnapshot()).snapshotId}`;
