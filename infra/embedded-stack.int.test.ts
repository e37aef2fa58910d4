import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import postgres from "postgres";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { startEmbeddedStack } from "./embedded-stack.ts";
import { isAlive, processesStartedWith, stopProcess } from "./process/running-processes.ts";

const limit = { timeout: 30_000, interval: 20 };

let folder: string;
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "embedded-stack-"));
});

afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await killServers();
  await rm(folder, { recursive: true, force: true });
});

const env = (): NodeJS.ProcessEnv => ({
  ...process.env,
  NATS_SERVER_BIN: inject("natsServerBinary"),
});

const serverPids = async (): Promise<number[]> => {
  const [nats, database] = await Promise.all([
    processesStartedWith("nats-server", join(folder, "nats", "nats.conf")),
    processesStartedWith("postgres", join(folder, "postgres", "cluster")),
  ]);
  return [...nats, ...database].map(({ pid }) => pid);
};

const killServers = async (): Promise<void> => {
  for (const pid of await serverPids()) {
    await stopProcess(pid, [{ signal: "SIGKILL", waitMs: 30_000 }]);
  }
};

const startInAnotherProcess = async (): Promise<{
  child: ChildProcess;
  natsUrl: string;
  databaseUrl: string;
}> => {
  const script = join(import.meta.dirname, "testing", "stack-process.ts");
  const child = spawn(
    process.execPath,
    ["--conditions=proliferate-source", "--import", "tsx", script, folder],
    { env: env(), stdio: ["ignore", "pipe", "inherit"] },
  );
  started.push(child);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { child, ...(JSON.parse(line) as { natsUrl: string; databaseUrl: string }) };
};

it("takes over from a process that was killed: its servers are stopped, its data is there", async () => {
  const { child, natsUrl, databaseUrl } = await startInAnotherProcess();
  const writer = await connect({ servers: natsUrl });
  await (await jetstreamManager(writer)).streams.add({ name: "KEPT", subjects: ["kept"] });
  await writer.close();
  const before = postgres(databaseUrl, { max: 1 });
  await before`CREATE TABLE kept (id int)`;
  await before.end();

  child.kill("SIGKILL");
  await once(child, "exit");
  // More than two while Postgres forks: a new child still has its parent's command line.
  const orphans = await vi.waitUntil(async () => {
    const pids = await serverPids();
    return pids.length === 2 ? pids : undefined;
  }, limit);

  const stack = await startEmbeddedStack({ dataDir: folder, env: env(), durability: "relaxed" });
  expect(await Promise.all(orphans.map(isAlive))).toEqual([false, false]);
  const reader = await connect({ servers: stack.natsUrl });
  const kept = await (await jetstreamManager(reader)).streams.info("KEPT");
  expect(kept.config.name).toBe("KEPT");
  await reader.close();
  const after = postgres(stack.databaseUrl, { max: 1 });
  expect([...(await after`SELECT count(*)::int AS rows FROM kept`)]).toEqual([{ rows: 0 }]);
  await after.end();
  await stack.stop();
  expect(await serverPids()).toEqual([]);
});

it("takes over when the servers were killed together with their process", async () => {
  const { child, databaseUrl } = await startInAnotherProcess();
  const before = postgres(databaseUrl, { max: 1 });
  await before`CREATE TABLE kept (id int)`;
  await before.end();
  await killServers();
  child.kill("SIGKILL");

  await using stack = await startEmbeddedStack({
    dataDir: folder,
    env: env(),
    durability: "relaxed",
  });
  const after = postgres(stack.databaseUrl, { max: 1 });
  expect([...(await after`SELECT count(*)::int AS rows FROM kept`)]).toEqual([{ rows: 0 }]);
  await after.end();
});

it("starts only what is not given, and says when a server is lost", async () => {
  await using stack = await startEmbeddedStack({
    dataDir: folder,
    env: env(),
    databaseUrl: "postgres://elsewhere/db",
    durability: "relaxed",
  });
  expect(stack.databaseUrl).toBe("postgres://elsewhere/db");
  expect(await serverPids()).toHaveLength(1);
  await killServers();
  expect(await stack.lost).toBe("nats-server");
});
