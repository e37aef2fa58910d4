/** The real SDK against the emulator: what the provider and its tests rely on. */
import { createServer, type Server } from "node:http";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { CommandExitError, Sandbox, SandboxNotFoundError, TimeoutError } from "e2b";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { findSandboxProcesses } from "../../providers/local/processes.ts";
import { startE2bEmulator, type E2bEmulator } from "./emulator.ts";

const apiKey = "e2b_test_key";
const patience = { timeout: 30_000, interval: 20 };

let directory: string;
let emulator: E2bEmulator;

const connection = () => ({ apiKey, apiUrl: emulator.url, sandboxUrl: emulator.url });
const create = (more: { metadata?: Record<string, string> } = {}): Promise<Sandbox> =>
  Sandbox.create("base", {
    ...connection(),
    timeoutMs: 600_000,
    lifecycle: { onTimeout: "pause" },
    ...more,
  });

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "e2b-emulator-"));
  emulator = await startE2bEmulator({
    directory,
    apiKey,
    templates: ["base"],
    programs: { show: "/bin/echo" },
    ports: [4_096],
  });
});

afterEach(() => Promise.all(emulator.sandboxes.list().map((each) => each.kill())));

afterAll(async () => {
  await emulator[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

describe("commands", () => {
  it("have output, exit codes, environment, input and a terminal", async () => {
    const sandbox = await create();
    const said = await sandbox.commands.run("echo $WHO from $HOME; echo problem >&2", {
      envs: { WHO: "ann" },
    });
    expect(said.stdout).toMatch(/^ann from .*home\/user\n$/);
    expect(said.stderr).toBe("problem\n");
    await expect(sandbox.commands.run("exit 3")).rejects.toThrow(CommandExitError);

    const cat = await sandbox.commands.run("cat", { background: true, stdin: true });
    await cat.sendStdin("typed");
    await cat.closeStdin();
    expect((await cat.wait()).stdout).toBe("typed");

    let shown = "";
    const decoder = new TextDecoder();
    const terminal = await sandbox.pty.create({
      cols: 81,
      rows: 24,
      onData: (data) => void (shown += decoder.decode(data)),
    });
    await sandbox.pty.resize(terminal.pid, { cols: 99, rows: 24 });
    await sandbox.pty.sendInput(terminal.pid, Buffer.from("stty size\n"));
    await vi.waitUntil(() => shown.includes("24 99"), patience);
    await sandbox.pty.kill(terminal.pid);
  });

  it("outlive their connection, can be found again and are killed with their time", async () => {
    const sandbox = await create();
    const loop = await sandbox.commands.run("while sleep 0.05; do echo tick; done", {
      background: true,
      timeoutMs: 0,
    });
    await loop.disconnect();
    let ticks = 0;
    const again = await sandbox.commands.connect(loop.pid, { onStdout: () => void ticks++ });
    await vi.waitUntil(() => ticks > 2, patience);
    expect(await again.kill()).toBe(true);
    const nothingRuns = async () => (await sandbox.commands.list()).length === 0;
    await vi.waitUntil(nothingRuns, patience);

    await expect(sandbox.commands.run("sleep 600", { timeoutMs: 200 })).rejects.toThrow(
      TimeoutError,
    );
    await vi.waitUntil(nothingRuns, patience);
  });
});

it("keeps files: bytes, folders, paths from the home and from the root", async () => {
  const sandbox = await create();
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
  await sandbox.files.write("deep/in/here.bin", bytes.buffer);
  expect(await sandbox.files.read("/home/user/deep/in/here.bin", { format: "bytes" })).toEqual(
    bytes,
  );
  expect(await sandbox.files.makeDir("deep")).toBe(false);
  await sandbox.files.rename("deep/in/here.bin", "/opt/there.bin");
  expect(await sandbox.files.exists("deep/in/here.bin")).toBe(false);
  expect((await sandbox.files.getInfo("/opt/there.bin")).size).toBe(bytes.length);
  expect((await sandbox.files.list("/home/user/deep")).map(({ name }) => name)).toEqual(["in"]);
  await expect(sandbox.files.read("nothing")).rejects.toThrow(/does not exist/);
});

describe("a sandbox", () => {
  it("keeps its processes and memory over a pause, and leaves nothing when killed", async () => {
    const sandbox = await create();
    const counter = "n=0; while sleep 0.02; do n=$((n+1)); echo $n > count; done";
    await sandbox.commands.run(counter, { background: true, timeoutMs: 0 });
    const count = async () => Number(await sandbox.files.read("count").catch(() => "0"));
    await vi.waitUntil(async () => (await count()) > 3, patience);

    expect(await Sandbox.pause(sandbox.sandboxId, connection())).toBe(true);
    expect(await Sandbox.pause(sandbox.sandboxId, connection())).toBe(false);
    expect(await sandbox.isRunning()).toBe(false);
    await expect(sandbox.commands.run("true")).rejects.toThrow(/not found|not running/);
    expect(await findSandboxProcesses(sandbox.sandboxId)).not.toEqual([]);

    const before = await Sandbox.connect(sandbox.sandboxId, connection()).then(count);
    await vi.waitUntil(async () => (await count()) > before + 3, patience);

    expect(await sandbox.kill()).toBe(true);
    expect(await sandbox.kill()).toBe(false);
    expect(await findSandboxProcesses(sandbox.sandboxId)).toEqual([]);
    expect(await readdir(directory)).not.toContain(sandbox.sandboxId);
    await expect(Sandbox.connect(sandbox.sandboxId, connection())).rejects.toThrow(
      SandboxNotFoundError,
    );
  });

  it("pauses by itself when its time is over", async () => {
    const sandbox = await create();
    await sandbox.setTimeout(1_000);
    const state = async () => (await Sandbox.getInfo(sandbox.sandboxId, connection())).state;
    await vi.waitUntil(async () => (await state()) === "paused", patience);
  });

  it("is the start of others by its snapshot", async () => {
    const sandbox = await create();
    await sandbox.files.write("kept", "by the snapshot");
    const { snapshotId } = await sandbox.createSnapshot();
    expect(await sandbox.isRunning()).toBe(true);
    await sandbox.kill();
    const other = await Sandbox.create(snapshotId, connection());
    expect(await other.files.read("kept")).toBe("by the snapshot");
    await expect(Sandbox.deleteSnapshot(snapshotId, connection())).rejects.toThrow(/using it/);
    await other.kill();
    expect(await Sandbox.deleteSnapshot(snapshotId, connection())).toBe(true);
    expect(await Sandbox.deleteSnapshot(snapshotId, connection())).toBe(false);
  });

  it("is listed by what it was tagged with, page by page", async () => {
    const tag = { "session id": "a&b=c/d" };
    const tagged = await Promise.all([create({ metadata: tag }), create({ metadata: tag })]);
    const untagged = await create();
    const pages = Sandbox.list({ ...connection(), query: { metadata: tag }, limit: 1 });
    const found: string[] = [];
    while (pages.hasNext) {
      for (const { sandboxId } of await pages.nextItems()) found.push(sandboxId);
    }
    expect(found.toSorted()).toEqual(tagged.map(({ sandboxId }) => sandboxId).toSorted());
    expect(found).not.toContain(untagged.sandboxId);
  });
});

describe("a host of a port", () => {
  let server: Server;
  afterAll(() => server.close());

  it("leads to what listens there, WebSockets included", async () => {
    const sandbox = await create();
    const port = emulator.sandboxes.get(sandbox.sandboxId)?.ports.get(4_096);
    server = createServer((request, response) => void response.end(`at ${request.url}`));
    new WebSocketServer({ server }).on("connection", (socket) => {
      socket.on("message", (data) => socket.send(data));
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));

    const shown = await sandbox.commands.run("show 4096 0.0.0.0");
    expect(shown.stdout).toBe(`${port} 127.0.0.1\n`);
    const url = await emulator.tunnelUrl(sandbox.getHost(4_096));
    expect(await (await fetch(`${url}/some?query`)).text()).toBe("at /some?query");
    const socket = new WebSocket(url.replace("http", "ws"));
    const echoed = await new Promise((resolve, reject) => {
      socket.on("open", () => socket.send("hello"));
      socket.on("message", (data: Buffer) => resolve(data.toString()));
      socket.on("error", reject);
    });
    expect(echoed).toBe("hello");

    const closed = new Promise((resolve) => socket.on("close", resolve));
    await sandbox.pause();
    await closed;
    expect((await fetch(url)).status).toBe(502);
  });
});

it("refuses other keys and unknown templates, and fails as it is told to", async () => {
  await expect(Sandbox.create("base", { ...connection(), apiKey: "other" })).rejects.toThrow(
    /Unauthorized/,
  );
  await expect(Sandbox.create("unknown", connection())).rejects.toThrow(/not found/);

  emulator.faults.next(/^POST \/v2\/sandboxes$/, { kind: "refuse", status: 500, message: "full" });
  await expect(create()).rejects.toThrow("500: full");
  emulator.faults.next(/^POST \/v2\/sandboxes$/, { kind: "drop" });
  await expect(create()).rejects.toThrow();
  expect(emulator.sandboxes.list()).toEqual([]);
  emulator.faults.next(/^POST \/v2\/sandboxes$/, { kind: "lose_answer" });
  await expect(create()).rejects.toThrow();
  expect(emulator.sandboxes.list()).toHaveLength(1);

  const sandbox = await create();
  emulator.faults.next(/Process\/Start$/, { kind: "cut_stream" });
  await expect(sandbox.commands.run("sleep 0.1; echo later")).rejects.toThrow();
});
