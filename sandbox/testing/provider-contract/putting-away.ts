/** Pauses and snapshots: what is put away is there again. */
import { expect, test } from "vitest";
import { agentStatus, must, refOf, type Suite } from "./suite.ts";

export const describePuttingAway = ({ can, provider, newRef, spec, boot, shell }: Suite): void => {
  test.runIf(can.pause)("goes on after a pause with the files that were there", async () => {
    const { ref } = await boot();
    await shell(ref, "echo kept > kept.txt");
    await provider().pause(ref);
    await provider().pause(ref);
    expect(await provider().health(ref)).toMatchObject({ state: "paused", agent: "ended" });
    await expect(must(provider().execCommand)(ref, ["true"])).rejects.toMatchObject({
      code: "sandbox_not_found",
    });
    const { sandbox } = await boot(ref);
    expect(sandbox).toMatchObject({ origin: "resumed", sandboxId: ref.sandboxId, warnings: [] });
    expect(await agentStatus(sandbox)).toBe(200);
    expect(await shell(ref, "cat kept.txt")).toBe("kept");
  });

  test.runIf(!can.pause)("says that it cannot pause", async () => {
    await expect(provider().pause(newRef())).rejects.toMatchObject({
      code: "sandbox_pause_unsupported",
    });
  });

  test("makes other sandboxes from a snapshot, also when its own is gone", async () => {
    const { ref } = await boot();
    await shell(ref, "echo kept > kept.txt; git checkout -q -b work; ln -s kept.txt link");
    const snapshotId = await provider().snapshot(ref);
    expect((await provider().health(ref)).agent).toBe("answers");
    await shell(ref, "echo later > kept.txt");

    const { sandbox, ref: copy } = await boot(newRef(), { snapshotId });
    expect(sandbox).toMatchObject({ origin: "restored", warnings: [] });
    expect(sandbox.sandboxId).not.toBe(ref.sandboxId);
    expect(await agentStatus(sandbox)).toBe(200);
    expect(await shell(copy, "cat link; git branch --show-current")).toBe("kept\nwork");
    expect(await shell(ref, "cat kept.txt")).toBe("later");

    // The session's own snapshot goes before that of its configuration.
    await provider().terminate(ref);
    const { sandbox: own } = await boot({ ...newRef(), snapshotId }, { snapshotId: "no-such" });
    expect(own).toMatchObject({ origin: "restored", warnings: [] });
  });

  test.runIf(can.pause)("leaves a paused sandbox as it is when it keeps its files", async () => {
    const { ref } = await boot();
    await shell(ref, "echo kept > kept.txt");
    await provider().pause(ref);
    const snapshotId = await provider().snapshot(ref);
    expect((await provider().health(ref)).state).toBe("paused");
    const { ref: copy } = await boot(newRef(), { snapshotId });
    expect(await shell(copy, "cat kept.txt")).toBe("kept");
    expect((await provider().health(ref)).state).toBe("paused");
  });

  test.runIf(can.snapshotRemoval)("removes a snapshot, and what is gone already", async () => {
    const remove = must(provider().deleteSnapshot).bind(provider());
    const { ref } = await boot();
    const snapshotId = await provider().snapshot(ref);
    const { ref: copy } = await boot(newRef(), { snapshotId });
    if (can.snapshotHeld) {
      if (can.pause) await provider().pause(copy);
      await expect(remove(snapshotId)).rejects.toMatchObject({ code: "sandbox_provider_failed" });
      await provider().terminate(copy);
      await remove(snapshotId);
    } else {
      await remove(snapshotId);
      expect((await provider().health(copy)).agent).toBe("answers");
    }
    await remove(snapshotId);
    expect((await provider().health(ref)).agent).toBe("answers");
    const { sandbox } = await boot(newRef(), { snapshotId });
    expect(sandbox).toMatchObject({
      origin: "created",
      warnings: [{ code: "snapshot_unavailable" }],
    });
  });

  test.runIf(can.snapshotCatalogue)("lists the snapshots that there are", async () => {
    const { ref } = await boot();
    const list = async () =>
      (await must(provider().listSnapshots)()).filter(
        ({ sessionId }) => sessionId === ref.sessionId,
      );
    const snapshotId = await provider().snapshot(ref);
    expect((await list()).map((entry) => entry.snapshotId)).toEqual([snapshotId]);
    await provider().deleteSnapshot?.(snapshotId);
    expect(await list()).toEqual([]);
  });

  test.runIf(can.memorySnapshot)("restores a snapshot of its memory", async () => {
    const { ref } = await boot();
    await shell(ref, "echo kept > kept.txt");
    const snapshotId = await must(provider().memorySnapshot)(ref);
    expect(snapshotId).toMatch(/^mem:/);
    await provider().terminate(ref);
    const restored = await must(provider().restoreFromMemorySnapshot)({
      ...ref,
      snapshotId,
      spec: spec(),
    });
    expect(await agentStatus(restored)).toBe(200);
    expect(await shell(refOf(restored), "cat kept.txt")).toBe("kept");
  });
};
