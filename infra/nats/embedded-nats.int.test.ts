import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { isAlive } from "../process/running-processes.ts";
import { startNats } from "./embedded-nats.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "embedded-nats-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const binary = (): string => inject("natsServerBinary");

it("keeps its streams over a restart, lets in only who has the token, and is gone after stop", async () => {
  const options = {
    dataDir: folder,
    binary: binary(),
    syncInterval: "always",
    token: "s3cret token",
  } as const;
  const first = await startNats(options);
  await expect(connect({ servers: first.url, reconnect: false })).rejects.toThrow();
  const writer = await connect({ servers: first.url, token: options.token });
  const manager = await jetstreamManager(writer);
  await manager.streams.add({ name: "KEPT", subjects: ["kept"] });
  await jetstream(writer).publish("kept", "one");
  await writer.close();
  const monitored = (await (await fetch(`${first.monitor}/varz`)).json()) as { port: number };
  expect(monitored.port).toBe(first.port);
  await first.stop();
  await first.stop();
  await first.exited;
  expect(await isAlive(first.pid)).toBe(false);

  await using second = await startNats(options);
  const reader = await connect({ servers: second.url, token: options.token });
  const stream = await (await jetstreamManager(reader)).streams.info("KEPT");
  expect(stream.state.messages).toBe(1);
  await reader.close();
});

it("writes the process id where it is told to", async () => {
  const pidFile = join(folder, "nats.pid");
  await using nats = await startNats({
    dataDir: join(folder, "data"),
    binary: binary(),
    syncInterval: "2m",
    pidFile,
  });
  expect(Number(await readFile(pidFile, "utf8"))).toBe(nats.pid);
});

it("says why the server did not start, and leaves the folder free", async () => {
  await using taken = await startNats({
    dataDir: join(folder, "first"),
    binary: binary(),
    syncInterval: "2m",
  });
  const dataDir = join(folder, "second");
  const start = startNats({ dataDir, binary: binary(), syncInterval: "2m", port: taken.port });
  await expect(start).rejects.toMatchObject({
    code: "prerequisite_missing",
    message: expect.stringContaining("in use") as string,
  });
  const again = await startNats({ dataDir, binary: binary(), syncInterval: "2m" });
  await again.stop();
});
