/** How a sandbox begins, is found again, and ends. */
import { expect, test, vi } from "vitest";
import { optionalMethods } from "../../provider/optional-methods.ts";
import { holdsSnapshots } from "../../providers/snapshot-holders.ts";
import { agentStatus, must, patience, refOf, type Suite } from "./suite.ts";

export const describeLifecycle = ({
  type,
  can,
  harness,
  provider,
  newRef,
  spec,
  boot,
  shell,
}: Suite): void => {
  test("has the methods that its capabilities promise, and no others", () => {
    expect(provider().type).toBe(type);
    expect(provider().capabilities).toMatchObject(can);
    expect(holdsSnapshots(type)).toBe(can.snapshotHeld);
    for (const [method, capability] of Object.entries(optionalMethods)) {
      expect([method, method in provider()]).toEqual([method, provider().capabilities[capability]]);
    }
  });

  test("makes a sandbox, finds it running, also after a restart, and ends it", async () => {
    const absent = newRef();
    expect((await provider().health(absent)).state).toBe("gone");
    const stages: string[] = [];
    const created = await provider().ensureSandbox({
      ...absent,
      spec: spec(),
      onStage: ({ stage }) => stages.push(stage),
    });
    expect(created).toMatchObject({
      origin: "created",
      sessionId: absent.sessionId,
      warnings: [],
    });
    expect(stages).toEqual(["folder", "launch", "clone", "agent_files", "ready"]);
    expect(await agentStatus(created)).toBe(200);
    expect(await agentStatus(created, "Basic d3Jvbmc6d3Jvbmc=")).toBe(401);
    const ref = refOf(created);
    expect(await provider().health(ref)).toEqual({
      state: "running",
      agent: "answers",
      detail: null,
    });

    const restarted = await harness().open();
    const attached = await restarted.ensureSandbox({ ...ref, spec: spec() });
    expect(attached).toMatchObject({ origin: "attached", sandboxId: created.sandboxId });
    expect(attached.opencode.authorization).toBe(created.opencode.authorization);
    expect(await agentStatus(attached)).toBe(200);
    // An owner that died before it could store the id.
    const unknown = await restarted.ensureSandbox({ ...absent, spec: spec() });
    expect(unknown).toMatchObject({ origin: "attached", sandboxId: created.sandboxId });

    await restarted.terminate(ref);
    await restarted.terminate(ref);
    await restarted[Symbol.asyncDispose]();
    expect((await provider().health(ref)).state).toBe("gone");
    expect(await harness().leftovers(ref)).toEqual([]);
    await expect(provider().writeEnvFile(ref, {})).rejects.toMatchObject({
      code: "sandbox_not_found",
    });
    await expect(provider().snapshot(ref)).rejects.toMatchObject({ code: "sandbox_not_found" });
  });

  test("ends what was never there", async () => {
    const ref = newRef();
    await provider().terminate(ref);
    await provider().terminate({ ...ref, sandboxId: "no-such-sandbox" });
    if (can.pause) await provider().pause(ref);
  });

  test("begins anew when the former sandbox is gone, and says so", async () => {
    const { ref } = await boot();
    await provider().terminate(ref);
    const { sandbox } = await boot(ref);
    expect(sandbox.origin).toBe("created");
    expect(sandbox.warnings.map(({ code }) => code)).toEqual(["resume_failed"]);
  });

  test("begins without a snapshot that is not there, and says so", async () => {
    const { sandbox } = await boot(newRef(), { snapshotId: "no-such-snapshot" });
    expect(sandbox.origin).toBe("created");
    expect(sandbox.warnings.map(({ code }) => code)).toEqual(["snapshot_unavailable"]);
    expect(await agentStatus(sandbox)).toBe(200);
  });

  test("notices a sandbox that was killed from outside, and recovers it", async () => {
    const { sandbox, ref } = await boot();
    await harness().kill(sandbox);
    await vi.waitUntil(async () => (await provider().health(ref)).agent === "ended", patience);
    const { sandbox: recovered } = await boot(ref);
    expect(recovered.origin).not.toBe("attached");
    expect(await agentStatus(recovered)).toBe(200);
  });

  test("makes a new sandbox in place of the one that is there", async () => {
    const { ref } = await boot();
    if (can.exec) await shell(ref, "echo old > old.txt");
    const created = await provider().createSandbox({ ...ref, spec: spec() });
    expect(created.origin).toBe("created");
    expect(await agentStatus(created)).toBe(200);
    if (can.readFiles) {
      const [old] = await must(provider().readFiles)(refOf(created), ["old.txt"]);
      expect(old?.content).toBeNull();
    }
  });
};
