import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readProcess } from "../../providers/local/processes.ts";
import { followLog, type LogEvent } from "./follow-log.ts";
import { openServiceManager, type ServiceManager } from "./service-manager.ts";
import { endProcesses, serviceMarker } from "./service-process.ts";
import { shellCommand, type ServiceSpec, type ServiceView } from "./service.ts";

const patience = { timeout: 30_000, interval: 25 };

let folder: string;
let manager: ServiceManager;
const names = new Set<string>();

const open = (more: { giveUpAfter?: number; maxLogBytes?: number } = {}): Promise<ServiceManager> =>
  openServiceManager({
    stateFolder: path.join(folder, "state"),
    environment: { PATH: process.env["PATH"] },
    ownEnvironment: { PATH: process.env["PATH"], OWN: "yes" },
    limits: { firstDelayMs: 10, longestDelayMs: 40, giveUpAfter: more.giveUpAfter ?? 3 },
    ...(more.maxLogBytes !== undefined && { maxLogBytes: more.maxLogBytes }),
    now: () => Date.now(),
  });

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "proliferate-services-"));
  manager = await open();
});
afterEach(async () => {
  await manager.close();
  for (const name of names) await endProcesses(serviceMarker(path.join(folder, "state"), name));
  names.clear();
  await rm(folder, { recursive: true, force: true });
});

const spec = (name: string, command: string, more: Partial<ServiceSpec> = {}): ServiceSpec => {
  names.add(name);
  return {
    name,
    argv: shellCommand(command),
    cwd: folder,
    env: {},
    restart: "on_failure",
    owner: "user",
    ...more,
  };
};

const view = (name: string): ServiceView | undefined =>
  manager.list().find((each) => each.name === name);

const isAlive = async (pid: number): Promise<boolean> => (await readProcess(pid)) !== null;

const fileSays = (name: string): Promise<string> =>
  vi.waitUntil(
    () =>
      readFile(path.join(folder, name), "utf8").then(
        (text) => text.trim() || null,
        () => null,
      ),
    patience,
  );

const printed = async (name: string): Promise<string[]> => {
  const log = manager.log(name);
  const lines: string[] = [];
  const from = await log.tail(1_000);
  const signal = new AbortController().signal;
  for await (const event of followLog(log, { from, follow: false, signal })) {
    if (event.kind === "line") lines.push(event.text);
  }
  return lines;
};

test("stopping ends every process of a service, also those that have left its group", async () => {
  await manager.start(
    spec("web", "setsid sleep 1000 & echo $! > away; sleep 1000 & echo $! > near; wait"),
  );
  const pids = [Number(await fileSays("away")), Number(await fileSays("near")), view("web")?.pid];
  await manager.stop("web");
  expect(view("web")).toMatchObject({ status: "stopped", pid: null });
  for (const pid of pids) expect(await isAlive(pid ?? 0)).toBe(false);
});

test("starting under a name that is taken replaces what runs", async () => {
  const first = await manager.start(spec("web", "echo one; exec sleep 1000"));
  await vi.waitFor(async () => expect(await printed("web")).toContain("one"), patience);
  const second = await manager.start(spec("web", 'echo "two $OWN"; exec sleep 1000'));
  await vi.waitFor(async () => expect(await printed("web")).toContain("two "), patience);
  expect(await isAlive(first.pid ?? 0)).toBe(false);
  expect(await isAlive(second.pid ?? 0)).toBe(true);
  expect(manager.list()).toHaveLength(1);
});

test("a service that fails is started again, and given up after failures in a row", async () => {
  await manager.start(spec("web", "echo try; exit 3"));
  await vi.waitFor(() => expect(view("web")?.status).toBe("error"), patience);
  expect(view("web")).toMatchObject({ exitCode: 3, failures: 3, pid: null });
  expect((await printed("web")).filter((line) => line === "try")).toHaveLength(3);

  await manager.start(spec("once", "exit 0"));
  await vi.waitFor(() => expect(view("once")?.status).toBe("stopped"), patience);
  await manager.start(spec("missing", "", { argv: ["/no/such/program"] }));
  await vi.waitFor(() => expect(view("missing")?.status).toBe("error"), patience);
});

test("a new sidecar finds the services of the one before it, and sees their end", async () => {
  const kept = await manager.start(spec("kept", "exec sleep 1000"));
  const lost = await manager.start(spec("lost", "exec sleep 1000"));
  await manager.start(spec("stopped", "exec sleep 1000"));
  await manager.stop("stopped");
  await manager.close();
  process.kill(lost.pid ?? 0, "SIGKILL");
  await vi.waitUntil(async () => !(await isAlive(lost.pid ?? 0)), patience);

  manager = await open();
  expect(view("kept")).toMatchObject({ status: "running", pid: kept.pid });
  expect(view("stopped")?.status).toBe("stopped");
  expect(view("lost")?.status).toBe("running");
  expect(view("lost")?.pid).not.toBe(lost.pid);

  process.kill(kept.pid ?? 0, "SIGKILL");
  await vi.waitFor(() => {
    expect(view("kept")).toMatchObject({ status: "running", failures: 1 });
    expect(view("kept")?.pid).not.toBeNull();
  }, patience);
  expect(view("kept")?.pid).not.toBe(kept.pid);
});

test("what a sidecar started before it died, without writing it down, is not started twice", async () => {
  const { pid } = await manager.start(spec("web", "exec sleep 1000"));
  await manager.close();
  const file = path.join(folder, "state", "services.json");
  const stored = JSON.parse(await readFile(file, "utf8")) as {
    services: [{ state: { process: unknown } }];
  };
  stored.services[0].state.process = null;
  await writeFile(file, JSON.stringify(stored));

  manager = await open();
  expect(view("web")?.status).toBe("running");
  expect(await isAlive(pid ?? 0)).toBe(false);
});

test("a state file that is damaged is put aside", async () => {
  await manager.close();
  await writeFile(path.join(folder, "state", "services.json"), '{"version":1,');
  manager = await open();
  expect(manager.list()).toEqual([]);
});

test("the sandbox's own programs always run, know more, and are not for users to stop", async () => {
  const own = spec("agent", "echo started $OWN", { owner: "sandbox", restart: "always" });
  await manager.keepRunning([own]);
  await vi.waitFor(async () => {
    const starts = (await printed("agent")).filter((line) => line === "started yes");
    expect(starts.length).toBeGreaterThan(1);
  }, patience);
  await expect(manager.stop("agent")).rejects.toMatchObject({ code: "forbidden" });
  await expect(manager.start(spec("agent", "true"))).rejects.toMatchObject({ code: "forbidden" });
  await manager.keepRunning([]);
  expect(manager.list()).toEqual([]);
});

test("a log is bounded, and a reader goes on across its rotation without losing a line", async () => {
  await manager.close();
  manager = await open({ maxLogBytes: 40 });
  await manager.start(spec("web", "exec sleep 1000"));
  const log = manager.log("web");
  const stop = new AbortController();
  const events = followLog(log, { from: await log.tail(0), follow: true, signal: stop.signal });
  const seen: string[] = [];
  const next = async (): Promise<LogEvent> => {
    const { value } = await events.next();
    if (value === undefined) throw new Error("The log has ended.");
    return value;
  };
  const file = path.join(folder, "state", "logs", "web.log");
  for (let round = 0; round < 5; round += 1) {
    await appendFile(file, `${`line ${round}`.padEnd(50, ".")}\n`);
    const event = await next();
    if (event.kind === "line") seen.push(event.text.slice(0, 6));
    await log.rotateIfLarge();
  }
  expect(seen).toEqual(["line 0", "line 1", "line 2", "line 3", "line 4"]);
  expect(await printed("web")).toHaveLength(1);
  stop.abort();

  const late = followLog(log, {
    from: { generation: 1, offset: 0 },
    follow: false,
    signal: new AbortController().signal,
  });
  const kinds: string[] = [];
  for await (const event of late) kinds.push(event.kind);
  expect(kinds).toEqual(["gap", "line"]);
});
