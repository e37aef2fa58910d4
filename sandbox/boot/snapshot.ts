/** A snapshot without what later sandboxes must not find: secrets, and the tools of this kind of session. */
import { DomainError } from "#contracts/errors";
import { scrubTools } from "../tools/workspace-tools.ts";
import type { ExecResult } from "../provider/exec.ts";
import type { SandboxProvider } from "../provider/provider.ts";
import type { SandboxRef } from "../provider/sandbox.ts";
import { runsIn, scrubEnvFiles, applyEnvFiles, takeEnvValues } from "./env-files.ts";

type Snapshotter = Pick<
  SandboxProvider,
  "capabilities" | "snapshot" | "execCommand" | "writeEnvFile"
>;

export interface SnapshotOptions {
  /** The sandbox ends afterwards, so nothing has to be put back. */
  readonly ends?: boolean;
  /** Called when the env files of a sandbox that lives on could not be written again. */
  readonly onNotRestored?: (detail: string) => void;
}

/**
 * Nothing is snapshotted while something secret may still be there. What was removed is put back if the
 * sandbox lives on, also after a snapshot that failed.
 * @returns the snapshot's id
 * @throws DomainError `snapshot_failed`, and what the provider throws
 */
export const snapshotWithoutSecrets = async (
  provider: Snapshotter,
  ref: SandboxRef,
  { ends = false, onNotRestored }: SnapshotOptions = {},
): Promise<string> => {
  const run = runsIn(provider, ref);
  // A provider that runs no commands has let nobody put secrets there either.
  if (run === null) return provider.snapshot(ref);
  let values: Readonly<Record<string, string>> | null = null;
  try {
    await orFail("env files", () => scrubEnvFiles(run));
    await orFail("tools", () => run(scrubTools));
    values = await takeEnvValues(run);
    return await provider.snapshot(ref);
  } finally {
    if (!ends && !provider.capabilities.snapshotPauses) {
      if (values !== null) await provider.writeEnvFile(ref, values);
      const { exitCode, stderr } = await applyEnvFiles(run);
      if (exitCode !== 0) onNotRestored?.(stderr.trim().slice(0, 500));
    }
  }
};

const orFail = async (what: string, scrub: () => Promise<ExecResult>): Promise<void> => {
  const { exitCode, stderr } = await scrub();
  if (exitCode === 0) return;
  throw new DomainError(
    "snapshot_failed",
    `No snapshot was taken, because the ${what} could not be removed: ${stderr.trim().slice(0, 500)}`,
  );
};
