/**
 * Snapshots that are made beforehand, outside of any session: with the programs warmed up (base), or with a
 * configuration's repositories too. Any provider whose snapshots start other sandboxes would do.
 */
import { DomainError } from "#contracts/errors";
import { newId } from "#contracts/ids";
import { capOutput } from "../../provider/cap-output.ts";
import type { Argv } from "../../provider/exec.ts";
import type { SandboxProvider } from "../../provider/provider.ts";
import type { SandboxRef } from "../../provider/sandbox.ts";
import type { RepositorySpec, SandboxSpec } from "../../provider/spec.ts";

export type SnapshotBuilder = Pick<SandboxProvider, "createSandbox" | "snapshot" | "terminate"> &
  Required<Pick<SandboxProvider, "execCommand">>;

export interface ConfigurationBuild {
  readonly repositories: readonly RepositorySpec[];
  /** For a shell in the workspace, one after the other: dependencies and the like. */
  readonly commands: readonly string[];
  /** What to begin with; the provider's own choice without one. */
  readonly baseSnapshotId?: string | undefined;
}

const commandTimeoutMs = 30 * 60_000;

/** Nothing is asked of an agent during a build, so nothing of this is ever used. */
const unused = "http://127.0.0.1:9";
const buildSpec = (repositories: readonly RepositorySpec[]): SandboxSpec => ({
  repositories,
  gateway: { url: unused, token: "none" },
  model: { model: "anthropic/none", smallModel: "anthropic/none", baseUrl: unused, apiKey: "none" },
  instructions: "",
});

/** The workspace goes, and the mark of its being filled with it: a session clones its own. */
const forgetWorkspace =
  'rm -rf -- "$HOME/.proliferate" && find "$HOME/workspace" -mindepth 1 -delete';

/** What belonged to the build's own agent. */
const forgetAgent = 'cd "$HOME/.proliferate" && rm -rf -- run && rm -f -- env.json instructions.md';

/** @returns the snapshot's id. The agent's server has been started once, so its files are there. */
export const buildBaseSnapshot = (provider: SnapshotBuilder): Promise<string> =>
  build(provider, buildSpec([]), [forgetWorkspace]);

/** @throws DomainError `sandbox_boot_failed` when a command fails; no sandbox is left then */
export const buildConfigurationSnapshot = (
  provider: SnapshotBuilder,
  { repositories, commands, baseSnapshotId }: ConfigurationBuild,
): Promise<string> => {
  const spec = {
    ...buildSpec(repositories),
    ...(baseSnapshotId !== undefined && { baseSnapshotId }),
  };
  return build(provider, spec, [...commands, forgetAgent]);
};

const build = async (
  provider: SnapshotBuilder,
  spec: SandboxSpec,
  commands: readonly string[],
): Promise<string> => {
  const ref: SandboxRef = { sessionId: newId("session"), sandboxId: null, snapshotId: null };
  try {
    await provider.createSandbox({ ...ref, spec });
    for (const command of commands) await runStep(provider, ref, ["sh", "-c", command]);
    return await provider.snapshot(ref);
  } finally {
    await provider.terminate(ref);
  }
};

const runStep = async (provider: SnapshotBuilder, ref: SandboxRef, argv: Argv): Promise<void> => {
  const result = await provider.execCommand(ref, argv, { timeoutMs: commandTimeoutMs });
  if (result.exitCode === 0) return;
  const how = result.timedOut ? "took too long" : `ended with ${result.exitCode ?? "a signal"}`;
  throw new DomainError(
    "sandbox_boot_failed",
    `The command "${argv.at(-1)}" ${how}: ${capOutput(result.stderr.trim())}`,
  );
};
