import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  AlreadyExistsError,
  NotFoundError,
  type ModalClient,
  type SandboxCreateParams,
} from "modal";
import { Status } from "nice-grpc";
import { openModalEmulator, type ModalEmulator } from "./index.ts";

const patience = { timeout: 30_000, interval: 50 };

describe("the Modal emulator, through the real SDK", () => {
  let emulator: ModalEmulator;
  let client: ModalClient;
  beforeAll(async () => {
    emulator = await openModalEmulator({ programs: { node: process.execPath } });
    client = emulator.newClient();
  });
  afterAll(() => emulator[Symbol.asyncDispose]());

  const create = async (params: SandboxCreateParams = {}, imageId = emulator.baseImageId) => {
    const app = await client.apps.fromName(emulator.appName);
    return client.sandboxes.create(app, await client.images.fromId(imageId), params);
  };

  it("runs real programs, with input, output and exit code", async () => {
    const sandbox = await create({ env: { GREETING: "hello" } });
    const shout = 'tr a-z A-Z; echo "$GREETING $NAME" >&2; exit 7';
    const command = await sandbox.exec(["sh", "-c", shout], { env: { NAME: "you" } });
    await command.stdin.writeText("loud\n");
    await command.stdin.close();
    expect(await command.stdout.readText()).toBe("LOUD\n");
    expect(await command.stderr.readText()).toBe("hello you\n");
    expect(await command.wait()).toBe(7);
    await sandbox.terminate();
    expect(await sandbox.poll()).toBe(137);
    sandbox.detach();
  });

  it("goes on with a stream where a dropped connection cut it", async () => {
    const sandbox = await create();
    emulator.faults.dropAfter("TaskExecStdioRead", 2);
    const readsBefore = emulator.faults.calls("TaskExecStdioRead");
    const numbers = 100_000;
    const command = await sandbox.exec(["seq", "1", String(numbers)]);
    const lines = (await command.stdout.readText()).trim().split("\n");
    expect(lines).toHaveLength(numbers);
    expect(new Set(lines).size).toBe(numbers);
    expect(emulator.faults.calls("TaskExecStdioRead") - readsBefore).toBe(2);
    await sandbox.terminate();
  });

  it("keeps names unique among what runs, and finds by name only what runs", async () => {
    const first = await create({ name: "only-one" });
    await expect(create({ name: "only-one" })).rejects.toThrow(AlreadyExistsError);
    const found = await client.sandboxes.fromName(emulator.appName, "only-one");
    expect(found.sandboxId).toBe(first.sandboxId);
    await first.terminate();
    await expect(client.sandboxes.fromName(emulator.appName, "only-one")).rejects.toThrow(
      NotFoundError,
    );
    const second = await create({ name: "only-one" });
    expect(second.sandboxId).not.toBe(first.sandboxId);
    await second.terminate();
  });

  it("starts a sandbox from the files of another one's snapshot, and only from those", async () => {
    const before = await create({ name: "before" });
    await (await before.exec(["sh", "-c", "printf kept > $HOME/kept"])).wait();
    const image = await before.snapshotFilesystem();
    await (await before.exec(["sh", "-c", "printf late > $HOME/late"])).wait();
    await before.terminate();
    const after = await create({ name: "after" }, image.imageId);
    const listing = await after.exec(["sh", "-c", "cat $HOME/kept; ls $HOME"]);
    expect(await listing.stdout.readText()).toBe("keptkept\n");
    emulator.forgetImage(image.imageId);
    await expect(client.images.fromId(image.imageId)).rejects.toThrow(NotFoundError);
    await after.terminate();
  });

  it("brings background processes back from a memory snapshot, which ends the sandbox", async () => {
    const name = "remembered";
    const params = { name, encryptedPorts: [4096], experimentalEnableSnapshot: true };
    const sandbox = await create(params);
    const serve =
      "require('http').createServer((q,r)=>r.end('here')).listen(+process.argv[1],'127.0.0.1')";
    const script = `setsid node -e "${serve}" 4096 > $HOME/log 2>&1 < /dev/null & printf kept > $HOME/kept`;
    await (await sandbox.exec(["sh", "-c", script])).wait();
    const answer = async (of: typeof sandbox) => {
      const [host, port] = (await of.tunnels())[4096]?.tlsSocket ?? [];
      return (await fetch(`http://${host}:${port}`)).text();
    };
    await vi.waitFor(async () => expect(await answer(sandbox)).toBe("here"), patience);
    const snapshot = await sandbox.experimentalSnapshot();
    expect(await sandbox.poll()).not.toBeNull();

    const restored = await client.sandboxes.experimentalFromSnapshot(
      await client.sandboxSnapshots.fromId(snapshot.snapshotId),
    );
    await vi.waitFor(async () => expect(await answer(restored)).toBe("here"), patience);
    const cat = await restored.exec(["sh", "-c", "cat $HOME/kept"]);
    expect(await cat.stdout.readText()).toBe("kept");
    await restored.terminate();
  });

  it("lists what runs, page by page and by tag", async () => {
    const app = await client.apps.fromName(emulator.appName);
    const made = await Promise.all(
      Array.from({ length: 12 }, () => create({ tags: { of: "list" } })),
    );
    const listed = async () => {
      const ids: string[] = [];
      for await (const { sandboxId } of client.sandboxes.list({
        appId: app.appId,
        tags: { of: "list" },
      })) {
        ids.push(sandboxId);
      }
      return ids.sort();
    };
    expect(await listed()).toEqual(made.map(({ sandboxId }) => sandboxId).sort());
    await Promise.all(made.map((sandbox) => sandbox.terminate()));
    expect(await listed()).toEqual([]);
  });

  it("ends a sandbox with its lifetime", async () => {
    const sandbox = await create({ timeoutMs: 1_000 });
    expect(await sandbox.wait()).toBe(124);
  });

  it("leaves no process of a sandbox that was ended", async () => {
    const sandbox = await create();
    const seconds = `4${Math.random()}`;
    const command = await sandbox.exec(["sh", "-c", `setsid sleep ${seconds} > /dev/null 2>&1 &`]);
    await command.wait();
    const processes = () => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    await vi.waitFor(() => expect(processes()).toContain(`sleep ${seconds}`), patience);
    await sandbox.terminate();
    expect(processes()).not.toContain(`sleep ${seconds}`);
  });

  it("refuses calls on request, and wrong credentials always", async () => {
    emulator.faults.refuse("AppGetOrCreate", { status: Status.PERMISSION_DENIED, message: "no" });
    await expect(client.apps.fromName(emulator.appName)).rejects.toMatchObject({
      code: Status.PERMISSION_DENIED,
    });
    await expect(client.apps.fromName(emulator.appName)).resolves.toBeDefined();
    const stranger = emulator.newClient({ tokenId: "ak-other", tokenSecret: "as-other" });
    await expect(stranger.apps.fromName(emulator.appName)).rejects.toMatchObject({
      code: Status.UNAUTHENTICATED,
    });
  });
});
