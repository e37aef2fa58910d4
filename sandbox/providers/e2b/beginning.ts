/** Wakes a paused sandbox, or makes a new one from the best that there is; says what could not be had. */
import type { Sandbox } from "e2b";
import { DomainError, isDomainError } from "#contracts/errors";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import type { SandboxRequest } from "../../provider/provider.ts";
import type { SandboxOrigin } from "../../provider/sandbox.ts";
import type { WorkspaceSpec } from "../../provider/spec.ts";
import type { E2bApi } from "./api.ts";

/**
 * With its memory, else with its files only; null when neither works. Trouble that a new sandbox would have
 * too (a refused key, a rate limit, a busy or unreachable service) is thrown: it does not cost the work.
 */
export const wake = async (api: E2bApi, id: string): Promise<Sandbox | null> => {
  for (const boot of ["restore", "reboot"] as const) {
    try {
      return await api.connect(id, undefined, boot);
    } catch (error) {
      if (isDomainError(error, "sandbox_not_found")) return null;
      if (!isBeyondRepair(error)) throw error;
    }
  }
  return null;
};

export interface Beginning {
  readonly sandbox: Sandbox;
  readonly origin: SandboxOrigin;
  readonly warnings: readonly SandboxWarning[];
}

export const begin = async (
  api: E2bApi,
  { sessionId, snapshotId, spec }: SandboxRequest<WorkspaceSpec>,
  template: string,
): Promise<Beginning> => {
  const warnings: SandboxWarning[] = [];
  for (const id of [snapshotId, spec.snapshotId, spec.baseSnapshotId]) {
    if (id == null) continue;
    try {
      const sandbox = await api.create(sessionId, id);
      return { sandbox, origin: "restored", warnings };
    } catch (error) {
      if (!isDomainError(error, "sandbox_not_found") && !isBeyondRepair(error)) throw error;
      const message = `The snapshot ${id} could not be restored; the sandbox began without it.`;
      warnings.push({ code: "snapshot_unavailable", message });
    }
  }
  return { sandbox: await api.create(sessionId, template), origin: "created", warnings };
};

/** E2B has answered that this very request fails, and would again. */
const isBeyondRepair = (error: unknown): boolean =>
  error instanceof DomainError &&
  error.code === "sandbox_provider_failed" &&
  error.fields["reason"] === "failed";
