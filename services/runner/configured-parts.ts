import type { SandboxSpec } from "#sandbox/provider/spec";
import type { ExistingSession } from "../sessions/aggregate/state.ts";

/**
 * What a sandbox has of its session's configuration beside the repositories and services. A snapshot
 * means nothing to another provider than the one that took it.
 */
export const configuredParts = (
  { configuration }: ExistingSession,
  provider: string,
): Pick<SandboxSpec, "snapshotId" | "envFiles" | "ports"> => {
  if (configuration === null) return {};
  const { snapshot, envFiles, previewPorts } = configuration;
  return {
    ...(snapshot?.provider === provider && { snapshotId: snapshot.snapshotId }),
    ...(envFiles && { envFiles }),
    ...(previewPorts.length > 0 && { ports: previewPorts }),
  };
};
