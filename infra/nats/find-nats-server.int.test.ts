import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findNatsServer, type NatsFetcher } from "./find-nats-server.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "find-nats-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A fake `nats-server`: a script that only knows its version. */
const writeServer = async (path: string, version: string): Promise<string> => {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho "nats-server: v${version}"\n`);
  await chmod(path, 0o755);
  return path;
};

const fetcherOf = (name: string, version: string): NatsFetcher & { fetched: number } => ({
  name,
  fetched: 0,
  async fetchTo(target) {
    this.fetched += 1;
    await writeServer(target, version);
  },
});

const failing = (name: string, reason: string): NatsFetcher => ({
  name,
  fetchTo: () => Promise.reject(new Error(reason)),
});

it("takes the one of NATS_SERVER_BIN before the one on PATH", async () => {
  const chosen = await writeServer(join(folder, "own", "server"), "2.14.4");
  await writeServer(join(folder, "bin", "nats-server"), "2.15.1");
  const env = { NATS_SERVER_BIN: chosen, PATH: join(folder, "bin"), HOME: folder };
  expect(await findNatsServer({ env, fetchers: [] })).toBe(chosen);
});

it("refuses a NATS_SERVER_BIN that is too old instead of silently taking another", async () => {
  const old = await writeServer(join(folder, "old"), "2.9.10");
  await writeServer(join(folder, "bin", "nats-server"), "2.15.1");
  const env = { NATS_SERVER_BIN: old, PATH: join(folder, "bin"), HOME: folder };
  await expect(findNatsServer({ env, fetchers: [] })).rejects.toMatchObject({
    code: "prerequisite_missing",
    message: expect.stringMatching(
      /is 2\.9\.10: set it to a nats-server 2\.14\.4 or newer/,
    ) as string,
  });
});

it("passes over an old one on PATH for a newer one further on", async () => {
  await writeServer(join(folder, "a", "nats-server"), "2.9.10");
  const newer = await writeServer(join(folder, "b", "nats-server"), "2.14.4");
  const env = { PATH: `${join(folder, "a")}:${join(folder, "b")}`, HOME: folder };
  expect(await findNatsServer({ env, fetchers: [] })).toBe(newer);
});

it("fetches one when the machine has none, once, from the first place that works", async () => {
  const old = fetcherOf("old", "2.9.10");
  const good = fetcherOf("good", "2.15.1");
  const fetchers = [failing("broken", "no route"), old, good];
  const env = { PATH: "", HOME: folder };
  const first = await findNatsServer({ env, fetchers });
  const second = await findNatsServer({ env, fetchers });
  expect([first, second, old.fetched, good.fetched]).toEqual([first, first, 1, 1]);
  expect(first.startsWith(folder)).toBe(true);
});

it("works with an empty HOME", async () => {
  const env = { PATH: "", HOME: "", XDG_CACHE_HOME: folder };
  const found = await findNatsServer({ env, fetchers: [fetcherOf("good", "2.15.1")] });
  expect(await readdir(join(folder, "proliferate"))).toEqual(["nats-server"]);
  expect(found).toBe(join(folder, "proliferate", "nats-server"));
});

it("says in one sentence why there is none and what to do", async () => {
  const env = { PATH: "", HOME: folder };
  const fetchers = [failing("packages", "no route"), fetcherOf("release", "2.9.10")];
  await expect(findNatsServer({ env, fetchers })).rejects.toMatchObject({
    code: "prerequisite_missing",
    message:
      "No nats-server 2.14.4 or newer was found, and none could be fetched (packages: no route; " +
      "release: what it has is too old or does not run here): install one and put it on PATH, or " +
      "set NATS_SERVER_BIN to its path.",
  });
});
