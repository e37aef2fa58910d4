/** A snapshot without what later sandboxes must not find: secrets, and the tools of this kind of session. */
import { DomainError } from "#contracts/errors";
import type { SessionKind } from "#contracts/session/kind";
import { scrubTools, writeToolFiles } from "../tools/workspace-tools.ts";
import type { Exec, ExecResult } from "../provider/exec.ts";
import type { SandboxProvider } from "../provider/provider.ts";
import type { SandboxRef } from "../provider/sandbox.ts";
import { runsIn, scrubEnvFiles, applyEnvFiles, takeEnvValues } from "./env-files.ts";

type Snapshotter = Pick<
  SandboxProvider,
  "capabilities" | "snapshot" | "execCommand" | "writeEnvFile"
>;

type Values = Readonly<Record<string, string>>;

export interface SnapshotOptions {
  /** Whose tools are put back if the sandbox lives on; null if it ends, and nothing has to be put back. */
  readonly kind: SessionKind | null;
  /** Called when the env files or tools of a sandbox that lives on could not be written again. */
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
  { kind, onNotRestored }: SnapshotOptions,
): Promise<string> => {
  const run = runsIn(provider, ref);
  // A provider that runs no commands has let nobody put secrets there either.
  if (run === null) return provider.snapshot(ref);
  let values: Values | null = null;
  const writeValues = (taken: Values | null) => taken && (() => provider.writeEnvFile(ref, taken));
  try {
    await orFail("env files", () => scrubEnvFiles(run));
    await orFail("tools", () => run(scrubTools));
    values = await takeEnvValues(run);
    return await provider.snapshot(ref);
  } finally {
    if (kind !== null) {
      await putBack(run, kind, writeValues(values)).catch(
        // The snapshot is there all the same, and counts.
        (error: unknown) => onNotRestored?.(error instanceof Error ? error.message : String(error)),
      );
    }
  }
};

const putBack = async (
  run: Exec,
  kind: SessionKind,
  writeValues: (() => Promise<void>) | null,
): Promise<void> => {
  await writeValues?.();
  await writeToolFiles(run, kind);
  await orFail("env files", () => applyEnvFiles(run), "written again");
};

const orFail = async (
  what: string,
  work: () => Promise<ExecResult>,
  how = "removed",
): Promise<void> => {
  const { exitCode, stderr } = await work();
  if (exitCode === 0) return;
  throw new DomainError(
    "snapshot_failed",
    `The ${what} could not be ${how}: ${stderr.trim().slice(0, 500)}`,
  );
};
