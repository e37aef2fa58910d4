/** What the topics of the contract share: the provider that is asked, its sandboxes, and looks at them. */
import { afterAll, beforeAll, expect, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import type { SandboxProvider } from "../../provider/provider.ts";
import type { RunningSandbox, SandboxRef } from "../../provider/sandbox.ts";
import type { SandboxSpec } from "../../provider/spec.ts";
import type { ProviderContract, ProviderHarness } from "./harness.ts";

export interface Suite extends Required<Omit<ProviderContract, "harness" | "capabilities">> {
  readonly can: ProviderContract["capabilities"];
  readonly harness: () => ProviderHarness;
  readonly provider: () => SandboxProvider;
  /** Of a session that has no sandbox yet; what it gets is ended after the tests. */
  readonly newRef: () => SandboxRef;
  readonly spec: (changes?: Partial<SandboxSpec>) => SandboxSpec;
  /** Ensures a sandbox, and tells how it is found from then on. */
  readonly boot: (
    ref?: SandboxRef,
    changes?: Partial<SandboxSpec>,
  ) => Promise<{ readonly sandbox: RunningSandbox; readonly ref: SandboxRef }>;
  /** What a shell in the sandbox prints; fails when it fails. */
  readonly shell: (ref: SandboxRef, script: string) => Promise<string>;
}

export const patience = { timeout: 30_000, interval: 100 };
export const token = "sbx1.contract.token-of-this-sandbox";
export const controlPlaneSecret = "the-control-planes-own-secret";

/** Called where tests are declared: opens before them and closes after them. */
export const openSuite = ({
  type,
  capabilities: can,
  harness: makeHarness,
  timeoutMs = 120_000,
}: ProviderContract): Suite => {
  let harness: ProviderHarness;
  let provider: SandboxProvider;
  const seen: SessionId[] = [];

  const newRef = (): SandboxRef => {
    const sessionId = newId("session");
    seen.push(sessionId);
    return { sessionId, sandboxId: null, snapshotId: null };
  };
  const spec = (changes: Partial<SandboxSpec> = {}): SandboxSpec => ({
    repositories: [{ url: harness.repositoryUrl, ref: "feature", path: "." }],
    gateway: { url: "http://127.0.0.1:9", token },
    model: {
      model: "anthropic/claude-sonnet-4-6",
      smallModel: "anthropic/claude-haiku-4-5",
      baseUrl: "http://127.0.0.1:9/v1",
      apiKey: "the-sandboxes-own-key",
    },
    instructions: "Do as you are told.",
    environment: { COLOUR: "it's green" },
    ...changes,
  });

  beforeAll(async () => {
    vi.stubEnv("CONTROL_PLANE_SECRET", controlPlaneSecret);
    harness = await makeHarness();
    provider = await harness.open();
  }, timeoutMs);
  afterAll(async () => {
    for (const sessionId of seen) {
      await provider.terminate({ sessionId, sandboxId: null, snapshotId: null });
    }
    await provider[Symbol.asyncDispose]();
    await harness.close();
    vi.unstubAllEnvs();
  }, timeoutMs);

  return {
    ...{ type, can, timeoutMs, newRef, spec },
    harness: () => harness,
    provider: () => provider,
    boot: async (ref = newRef(), changes = {}) => {
      const sandbox = await provider.ensureSandbox({ ...ref, spec: spec(changes) });
      return { sandbox, ref: refOf(sandbox) };
    },
    shell: async (ref, script) => {
      const result = await must(provider.execCommand)(ref, ["sh", "-c", script]);
      expect(result).toMatchObject({ exitCode: 0, timedOut: false });
      return result.stdout.trim();
    },
  };
};

export const refOf = ({
  sessionId,
  sandboxId,
}: Pick<RunningSandbox, "sessionId" | "sandboxId">): SandboxRef => ({
  sessionId,
  sandboxId,
  snapshotId: null,
});

export const must = <T>(method: T | undefined): T => {
  if (method === undefined) throw new Error("The provider lacks a method that it promises.");
  return method;
};

/** The status with which the agent's server answers. */
export const agentStatus = async (
  { opencode }: Pick<RunningSandbox, "opencode">,
  authorization = opencode.authorization,
): Promise<number> => {
  const response = await fetch(new URL("/global/health", opencode.baseUrl), {
    headers: { authorization },
    signal: AbortSignal.timeout(30_000),
  });
  await response.body?.cancel();
  return response.status;
};
