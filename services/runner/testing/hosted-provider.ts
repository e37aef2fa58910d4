/** A provider whose sandboxes are at a `sandbox-host.ts`, and may have an end to their time. */
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { SandboxProvider, SandboxRequest } from "#sandbox/provider/provider";
import type { RunningSandbox, SandboxRef } from "#sandbox/provider/sandbox";
import type { HostOperation } from "./sandbox-host.ts";

const sandboxSchema = z.object({
  sandboxId: z.string(),
  baseUrl: z.string(),
  expiresAt: z.number().nullable(),
  origin: z.enum(["attached", "resumed", "restored", "created"]),
});

const healthSchema = z.enum(["running", "agent_ended", "paused", "gone"]);

/** @param pauses whether it can pause a sandbox */
export const hostedProvider = (hostUrl: string, pauses: boolean): SandboxProvider => {
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
      pause: pauses,
      autoPause: false,
      memorySnapshot: false,
      snapshotCatalogue: false,
      snapshotRemoval: false,
      snapshotHeld: false,
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
    pause: async (ref) => {
      await call("pause", ref);
    },
    handOver: () => undefined,
    terminate: async (ref) => {
      await call("terminate", ref);
    },
    writeEnvFile: () => Promise.resolve(),
    health: async (ref) => {
      const found = healthSchema.parse(await call("health", ref));
      if (found === "agent_ended") return { state: "running", agent: "ended", detail: null };
      return { state: found, agent: found === "running" ? "answers" : "ended", detail: null };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};
