import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Status } from "nice-grpc";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import type { SandboxRequest } from "../../provider/provider.ts";
import type { SandboxSpec } from "../../provider/spec.ts";
import { makeAgentStandIn } from "../../testing/agent-stand-in.ts";
import { openModalEmulator, type ModalEmulator } from "../../testing/modal-emulator/index.ts";
import { makeRepository } from "../../testing/repository.ts";
import type { ModalProviderOptions } from "./provider.ts";
import { providerOn } from "./testing/provider-on.ts";

describe("the Modal provider, on an emulated Modal", { timeout: 180_000 }, () => {
  let folder: string;
  let emulator: ModalEmulator;
  let repository: string;
  let sessionId: SessionId;
  let provider: ReturnType<typeof providerOn>;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "modal-provider-"));
    repository = await makeRepository(path.join(folder, "repository"));
    const opencode = await makeAgentStandIn(path.join(folder, "agent"));
    emulator = await openModalEmulator({ programs: { opencode } });
  });
  afterAll(async () => {
    await emulator[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    sessionId = newId("session");
    provider = open();
  });
  afterEach(async () => {
    await provider.terminate(ref());
    await provider[Symbol.asyncDispose]();
  });

  /** As another process of the control plane would. */
  const open = (options: Partial<ModalProviderOptions> = {}) =>
    providerOn(emulator, { lifetimeMs: 600_000, ...options });

  const ref = (more: Partial<SandboxRequest> = {}) => ({
    sessionId,
    sandboxId: null,
    snapshotId: null,
    ...more,
  });

  const request = (more: Partial<SandboxRequest> = {}, spec: Partial<SandboxSpec> = {}) => ({
    ...ref(more),
    spec: {
      repositories: [{ url: repository, ref: "feature", path: "." }],
      gateway: { url: "http://127.0.0.1:9", token: "sbx1.test.token-of-the-sandbox" },
      model: {
        model: "anthropic/x",
        smallModel: "anthropic/x",
        baseUrl: "http://127.0.0.1:9",
        apiKey: "own-model-key",
      },
      instructions: "None.",
      environment: { PROJECT_SECRET: "hidden-value" },
      ...spec,
    },
  });

  const sh = async (script: string) =>
    (await provider.execCommand(ref(), ["sh", "-c", script])).stdout;

  /** The process of the agent's server, which answers. */
  const agentPid = async (): Promise<number> => {
    expect(await provider.health(ref())).toEqual({
      state: "running",
      agent: "answers",
      detail: null,
    });
    return Number(await sh("cut -d ' ' -f 1 $HOME/.proliferate/run/opencode.pid"));
  };

  it("boots a clone, and another process goes on with the same agent", async () => {
    const made = await provider.ensureSandbox(request());
    expect(made).toMatchObject({ origin: "created", warnings: [], sessionId });
    expect(made.expiresAt).toBeGreaterThan(Date.now());
    expect(await sh("cat README.md; echo $PROJECT_SECRET")).toBe("on feature\nhidden-value\n");
    const pid = await agentPid();

    await using other = open();
    const found = await other.ensureSandbox(request({ sandboxId: made.sandboxId }));
    expect(found).toMatchObject({ origin: "attached", sandboxId: made.sandboxId });
    expect(await agentPid()).toBe(pid);
    expect(found.expiresAt).toBe(made.expiresAt);
  });

  it("has the next sandbox of a session beside the present one, each with its own files", async () => {
    await provider.ensureSandbox(request());
    await sh("echo kept > made.txt");
    const snapshotId = await provider.snapshot(ref());
    const next = { ...ref(), generation: 1 };
    const made = await provider.createSandbox({ ...request({ snapshotId }), generation: 1 });
    expect(made.origin).toBe("restored");
    await sh("echo changed > made.txt");
    const read = await provider.execCommand(next, ["cat", "made.txt"]);
    expect(read.stdout).toBe("kept\n");

    await provider.terminate(ref());
    expect((await provider.health(ref())).state).toBe("gone");
    expect((await provider.health(next)).state).toBe("running");
    await provider.terminate(next);
  });

  it("finds its sandbox when the answer to its making was lost, and makes no second one", async () => {
    emulator.faults.refuse("SandboxCreateV2", {
      status: Status.UNAVAILABLE,
      message: "connection reset",
      afterwards: true,
    });
    const made = await provider.ensureSandbox(request());
    expect(emulator.running().filter(({ name }) => name === sessionId)).toEqual([
      { sandboxId: made.sandboxId, name: sessionId },
    ]);
    await expect(provider.health(ref())).resolves.toMatchObject({
      state: "running",
      agent: "answers",
    });
  });

  it("is left with one sandbox that works when two processes begin at the same time", async () => {
    await using other = open();
    // The lease of the owner forbids it; an owner that slept through its end may do it all the same.
    await Promise.allSettled([provider.ensureSandbox(request()), other.ensureSandbox(request())]);
    await provider.ensureSandbox(request());
    expect(await agentPid()).toBeGreaterThan(0);
    expect(emulator.running().filter(({ name }) => name === sessionId)).toHaveLength(1);
  });

  it("asks for the tunnels again each time", async () => {
    const made = await provider.ensureSandbox(request());
    expect(made.tunnels.opencode).toBe(made.opencode.baseUrl);
    const before = emulator.faults.calls("SandboxGetTunnelsV2");
    const tunnels = await provider.resolveTunnels(ref());
    expect(emulator.faults.calls("SandboxGetTunnelsV2")).toBeGreaterThan(before);
    expect(tunnels).toEqual(made.tunnels);
    expect(new Set([tunnels.opencode, tunnels.preview]).size).toBe(2);
    expect(tunnels.ssh).toMatchObject({ host: "127.0.0.1" });
  });

  it("begins anew from the session's snapshot when the sandbox has gone", async () => {
    const made = await provider.ensureSandbox(request());
    await sh("echo work > work");
    const snapshotId = await provider.snapshot(ref());
    await emulator.kill(made.sandboxId);
    expect(await provider.health(ref())).toMatchObject({ state: "gone", agent: "ended" });
    const again = await provider.ensureSandbox(request({ sandboxId: made.sandboxId, snapshotId }));
    expect(again).toMatchObject({ origin: "restored", warnings: [] });
    expect(await sh("cat work README.md")).toBe("work\non feature\n");
  });

  it("says that work was lost when neither the sandbox nor its snapshot is there", async () => {
    const lost = { sandboxId: "sb-of-yesterday", snapshotId: "im-of-yesterday" };
    const made = await provider.ensureSandbox(request(lost));
    expect(made.origin).toBe("created");
    expect(made.warnings.map(({ code }) => code)).toEqual([
      "snapshot_unavailable",
      "resume_failed",
    ]);
  });

  it("brings files and the agent back from memory, ready, under an id that says so", async () => {
    const made = await provider.ensureSandbox(request());
    await sh("echo work > work");
    const snapshotId = await provider.memorySnapshot(ref());
    expect(snapshotId).toMatch(/^mem:/);
    expect((await provider.health(ref())).state).toBe("gone");

    const back = await provider.restoreFromMemorySnapshot({ ...request(), snapshotId });
    expect(back).toMatchObject({ origin: "restored", sessionId });
    expect(back.sandboxId).not.toBe(made.sandboxId);
    // The password is the old one: the control plane launched nothing.
    expect(back.opencode.authorization).toBe(made.opencode.authorization);
    expect(await agentPid()).toBeGreaterThan(0);
    expect(await sh("cat work")).toBe("work\n");
    await provider.terminate(ref());
    await expect(
      provider.restoreFromMemorySnapshot({ ...request(), snapshotId: "mem:sn-gone" }),
    ).rejects.toMatchObject({ code: "sandbox_snapshot_not_found" });
  });

  it("goes on from a memory snapshot in `ensureSandbox` too, and from nothing when it is gone", async () => {
    await provider.ensureSandbox(request());
    await sh("echo work > work");
    const snapshotId = await provider.memorySnapshot(ref());
    const back = await provider.ensureSandbox(request({ snapshotId }));
    expect(back).toMatchObject({ origin: "restored", warnings: [] });
    expect(await sh("cat work")).toBe("work\n");
    await provider.terminate(ref());
    const anew = await provider.ensureSandbox(request({ snapshotId: "mem:sn-gone" }));
    expect(anew.warnings.map(({ code }) => code)).toEqual(["snapshot_unavailable"]);
  });

  it("launches the agent anew, on the same files, when it has died or its settings have changed", async () => {
    const made = await provider.ensureSandbox(request());
    await sh("echo work > work");
    process.kill(await agentPid(), "SIGKILL");
    expect(await provider.health(ref())).toMatchObject({ state: "running", agent: "ended" });
    const revived = await provider.ensureSandbox(request());
    expect(revived).toMatchObject({ origin: "resumed", sandboxId: made.sandboxId });
    const pid = await agentPid();

    const changed = await provider.ensureSandbox(request({}, { instructions: "Others." }));
    expect(changed.sandboxId).toBe(made.sandboxId);
    expect(await agentPid()).not.toBe(pid);
    // What has ended keeps its id until somebody has asked what became of it.
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), {
      timeout: 30_000,
    });
    expect(await sh("cat work")).toBe("work\n");
  });

  it("refuses to pause, with a code of its own", async () => {
    await expect(provider.pause(ref())).rejects.toMatchObject({
      code: "sandbox_pause_unsupported",
      fields: { provider: "modal", operation: "pause" },
    });
    expect(provider.capabilities).toMatchObject({
      pause: false,
      autoPause: false,
      memorySnapshot: true,
    });
  });

  it("ends what it had started when a boot fails, and when it is called off", async () => {
    const nowhere = { repositories: [{ url: "http://127.0.0.1:1/x.git", ref: "HEAD", path: "." }] };
    await expect(provider.ensureSandbox(request({}, nowhere))).rejects.toMatchObject({
      code: "sandbox_boot_failed",
      fields: { stage: "clone" },
    });
    expect(await provider.checkSandboxes([ref()])).toEqual([
      { sessionId, sandboxId: "", state: "gone" },
    ]);
    const caller = new AbortController();
    const boot = provider.ensureSandbox({
      ...request({ signal: caller.signal }),
      onStage: () => caller.abort(new Error("gone")),
    });
    await expect(boot).rejects.toMatchObject({ code: "sandbox_boot_failed" });
    expect(emulator.running().map(({ name }) => name)).not.toContain(sessionId);
  });

  it("knows all sandboxes of the app, and terminates what is there and what is not", async () => {
    const { sandboxId } = await provider.ensureSandbox(request());
    expect(await provider.checkSandboxes()).toContainEqual({
      sessionId,
      sandboxId,
      state: "running",
    });
    await provider.terminate(ref({ sandboxId }));
    await provider.terminate(ref({ sandboxId }));
    expect(await provider.checkSandboxes([ref({ sandboxId })])).toEqual([
      { sessionId, sandboxId, state: "gone" },
    ]);
    await expect(provider.snapshot(ref())).rejects.toMatchObject({ code: "sandbox_not_found" });
  });

  it.each([
    ["UNAUTHENTICATED", Status.UNAUTHENTICATED, "sandbox_provider_failed"],
    ["RESOURCE_EXHAUSTED", Status.RESOURCE_EXHAUSTED, "sandbox_provider_failed"],
    ["DEADLINE_EXCEEDED", Status.DEADLINE_EXCEEDED, "sandbox_unavailable"],
  ])("names a remote %s, without the secrets that it quotes", async (name, status, code) => {
    const message = "token as-emulated-secret of own-model-key and hidden-value is not welcome";
    // More often than the SDK repeats a call.
    emulator.faults.refuse("SandboxCreateV2", { status, message, times: 5 });
    const failure = await provider.createSandbox(request()).catch((error: unknown) => error);
    emulator.faults.clear();
    expect(failure).toMatchObject({
      name: "SandboxProviderError",
      code,
      fields: { provider: "modal", operation: "createSandbox", status: name },
    });
    const { message: said, stack, cause } = failure as Error;
    expect(said).toContain("is not welcome");
    const all = [said, stack, (cause as Error).message, (cause as Error).stack].join("\n");
    for (const secret of ["as-emulated-secret", "own-model-key", "hidden-value"]) {
      expect(all).not.toContain(secret);
    }
  });
});
