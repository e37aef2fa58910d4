import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { makeAgentStandIn } from "../../testing/agent-stand-in.ts";
import { openModalEmulator, type ModalEmulator } from "../../testing/modal-emulator/index.ts";
import { makeRepository } from "../../testing/repository.ts";
import { providerOn } from "./testing/provider-on.ts";
import { buildBaseSnapshot, buildConfigurationSnapshot } from "./snapshot-build.ts";

describe("snapshots that are built beforehand", { timeout: 180_000 }, () => {
  let folder: string;
  let emulator: ModalEmulator;
  let provider: ReturnType<typeof providerOn>;
  let url: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "modal-snapshots-"));
    url = await makeRepository(path.join(folder, "repository"));
    const opencode = await makeAgentStandIn(path.join(folder, "agent"));
    emulator = await openModalEmulator({ programs: { opencode } });
    provider = providerOn(emulator);
  });
  afterAll(async () => {
    await provider[Symbol.asyncDispose]();
    await emulator[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const begin = async (snapshot: { snapshotId: string } | { baseSnapshotId: string }) => {
    const ref = { sessionId: newId("session"), sandboxId: null, snapshotId: null };
    const spec = {
      repositories: [{ url, ref: "feature", path: "." }],
      gateway: { url: "http://127.0.0.1:9", token: "sbx1.a.session" },
      model: {
        model: "anthropic/x",
        smallModel: "anthropic/x",
        baseUrl: "http://127.0.0.1:9",
        apiKey: "key",
      },
      instructions: "Of the session.",
      ...snapshot,
    };
    const { origin, warnings } = await provider.ensureSandbox({ ...ref, spec });
    expect({ origin, warnings }).toEqual({ origin: "restored", warnings: [] });
    return async (script: string) =>
      (await provider.execCommand(ref, ["sh", "-c", script])).stdout.trim();
  };

  it("give the programs without a workspace, which the session clones itself", async () => {
    const baseSnapshotId = await buildBaseSnapshot(provider);
    expect(emulator.running()).toEqual([]);
    const sh = await begin({ baseSnapshotId });
    expect(await sh("cat README.md")).toBe("on feature");
    expect(await sh("cat $HOME/.proliferate/instructions.md")).toBe("Of the session.");
  });

  it("give a configuration's repository as its commands left it", async () => {
    const snapshotId = await buildConfigurationSnapshot(provider, {
      repositories: [{ url, ref: "main", path: "." }],
      commands: ["echo installed > dependencies", "cat dependencies >> README.md"],
    });
    const sh = await begin({ snapshotId });
    expect(await sh("cat README.md")).toBe("on main\ninstalled");
  });

  it("leave no sandbox when a command fails, and say which", async () => {
    const running = emulator.running().length;
    const build = buildConfigurationSnapshot(provider, {
      repositories: [{ url, ref: "main", path: "." }],
      commands: ["echo 'no such package' >&2; exit 5"],
    });
    await expect(build).rejects.toThrow(/exit 5.*ended with 5: no such package/);
    expect(emulator.running()).toHaveLength(running);
  });
});
