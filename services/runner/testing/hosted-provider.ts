/** A provider whose sandboxes are at a `sandbox-host.ts`: without pauses, and with an end to each sandbox. */
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { SandboxProvider, SandboxRequest } from "#sandbox/provider/provider";
import type { RunningSandbox, SandboxRef } from "#sandbox/provider/sandbox";
import type { HostOperation } from "./sandbox-host.ts";

const sandboxSchema = z.object({
  sandboxId: z.string(),
  baseUrl: z.string(),
  expiresAt: z.number().nullable(),
  origin: z.enum(["attached", "restored", "created"]),
});

export const hostedProvider = (hostUrl: string): SandboxProvider => {
  const call = async (
    operation: HostOperation,
    { sessionId, generation = 0, snapshotId }: SandboxRef,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const response = await fetch(new URL(`/${operation}`, hostUrl), {
      method: "POST",
      body: JSON.stringify({ sessionId, generation, snapshotId }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw new DomainError("sandbox_unavailable", await response.text());
    return response.json();
  };

  const boot = async (operation: "ensure" | "create", request: SandboxRequest) => {
    const made = sandboxSchema.parse(await call(operation, request, request.signal));
    const { baseUrl } = made;
    return {
      ...made,
      sessionId: request.sessionId,
      warnings: [],
      workspace: "/workspace",
      opencode: { baseUrl, authorization: "none" },
      tunnels: { opencode: baseUrl, preview: baseUrl, sidecar: baseUrl, ssh: null },
    } satisfies RunningSandbox;
  };

  return {
    type: "hosted",
    capabilities: {
      pause: false,
      autoPause: false,
      snapshotPauses: false,
      memorySnapshot: false,
      snapshotCatalogue: false,
      isolated: false,
      check: false,
      tunnels: false,
      readFiles: false,
      exec: false,
      terminalSandbox: false,
      serviceCommandTest: false,
    },
    ensureSandbox: (request) => boot("ensure", request),
    createSandbox: (request) => boot("create", request),
    snapshot: async (ref) => z.string().parse(await call("snapshot", ref)),
    pause: () =>
      Promise.reject(new DomainError("sandbox_pause_unsupported", "There are no pauses here.")),
    terminate: async (ref) => {
      await call("terminate", ref);
    },
    writeEnvFile: () => Promise.resolve(),
    health: async (ref) => {
      const state = z.enum(["running", "gone"]).parse(await call("health", ref));
      return { state, agent: state === "running", detail: null };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};
