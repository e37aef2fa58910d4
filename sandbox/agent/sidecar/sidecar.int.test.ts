import { execFile } from "node:child_process";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { promisify } from "node:util";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSidecarHarness, testToken, type SidecarHarness } from "../testing/sidecar-harness.ts";

const run = promisify(execFile);
const patience = { timeout: 30_000, interval: 25 };

let sidecar: SidecarHarness;

beforeEach(async () => {
  sidecar = await startSidecarHarness();
});
afterEach(async () => {
  expect(sidecar.reports).toEqual([]);
  await sidecar.close();
});

const put = (name: string, body: unknown) =>
  sidecar.call({ method: "PUT", path: `/api/services/${name}`, body: JSON.stringify(body) });

interface Line {
  readonly id: string | undefined;
  readonly text: string;
}

/** The first so many lines of a service's log, then the stream is dropped. */
const follow = async (name: string, count: number, lastEventId?: string): Promise<Line[]> => {
  const stop = new AbortController();
  const response = await fetch(
    `http://127.0.0.1:${sidecar.port()}/api/services/${name}/logs?tail=1000`,
    {
      headers: {
        authorization: `Bearer ${testToken}`,
        ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
      },
      signal: stop.signal,
    },
  );
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const events = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  const lines: Line[] = [];
  for await (const { id, data } of events ?? []) {
    lines.push({ id, text: data });
    if (lines.length === count) break;
  }
  stop.abort();
  return lines;
};

test("a service's life over HTTP, and its log from where a reader left off", async () => {
  await mkdir(path.join(sidecar.workspace, "app"));
  const started = await put("web", {
    command:
      'echo "$(basename "$PWD") $WORD $PROLIFERATE_SANDBOX_TOKEN"; printf "a\\rb\\n\\377\\n"; exec sleep 1000',
    cwd: "app",
    env: { WORD: "hello" },
  });
  expect(started.json()).toMatchObject({
    service: { name: "web", status: "running", owner: "user" },
  });
  const lines = await follow("web", 3);
  expect(lines.map(({ text }) => text)).toEqual(["app hello ", "a␍b", "\ufffd"]);
  expect((await follow("web", 2, lines[0]?.id)).map(({ text }) => text)).toEqual(["a␍b", "\ufffd"]);

  await sidecar.restart();
  const log = path.join(sidecar.folder, "state", "logs", "web.log");
  const later = follow("web", 1, lines[2]?.id);
  await appendFile(log, "later\n");
  expect((await later)[0]?.text).toBe("later");
  expect((await sidecar.call({ path: "/api/services" })).json()).toMatchObject({
    services: [{ name: "web", status: "running" }],
    exposedPort: null,
  });
  const before = started.json() as { service: { pid: number } };
  const again = await sidecar.call({ method: "POST", path: "/api/services/web/restart" });
  expect((again.json() as typeof before).service.pid).not.toBe(before.service.pid);
  const stopped = await sidecar.call({ method: "DELETE", path: "/api/services/web" });
  expect(stopped.json()).toMatchObject({ service: { status: "stopped", pid: null } });
});

test("a client that leaves while it follows a log costs nothing afterwards", async () => {
  await put("web", { command: "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done" });
  for (let round = 0; round < 5; round += 1) await follow("web", 10);
  const half = request({
    host: "127.0.0.1",
    port: sidecar.port(),
    path: "/api/services/web/logs",
    headers: { authorization: `Bearer ${testToken}` },
  });
  half.once("error", () => undefined); // Destroyed on purpose.
  half.end();
  half.destroy();
  await sidecar.call({ method: "DELETE", path: "/api/services/web" });
  expect((await sidecar.call({ path: "/api/health" })).status).toBe(200);
});

test("ten megabytes of noise in a log are read in pieces that a reader can hold, from any place", async () => {
  const noise = "head -c 10485760 /dev/urandom | tr -d '\\n'; echo";
  // Said again and again: what is printed while a log is rotated may be lost.
  await put("web", { command: `${noise}; while :; do echo end; sleep 0.1; done` });
  const logs = "/api/services/web/logs?follow=false";
  await vi.waitFor(async () => {
    const last = await sidecar.call({ path: `${logs}&tail=1` });
    expect(last.bytes.toString()).toMatch(/^data: end$/m);
  }, patience);
  const whole = await sidecar.call({ path: `${logs}&tail=10000` });
  expect(whole.status).toBe(200);
  const longest = Math.max(
    ...whole.bytes
      .toString()
      .split("\n")
      .map((line) => line.length),
  );
  expect(longest).toBeLessThanOrEqual(2 * 64 * 1024);
  for (const id of ["9-999999999999999", "-1", "1-1; DROP", "\u00fc".repeat(1_000)]) {
    const headers = { "last-event-id": encodeURIComponent(id) };
    expect((await sidecar.call({ path: logs, headers })).status).toBe(200);
  }
});

test("repositories, what has changed in them, and a diff that is cut at 64 KB", async () => {
  const folder = path.join(sidecar.workspace, "projects", "one");
  await mkdir(folder, { recursive: true });
  await mkdir(path.join(sidecar.workspace, "node_modules", "x", ".git"), { recursive: true });
  const git = (...args: string[]) =>
    run("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@t", ...args]);
  await git("init", "-q", "-b", "main");
  await writeFile(path.join(folder, "first"), "one\n");
  const ask = async (endpoint: string) =>
    (await sidecar.call({ path: `/api/git/${endpoint}` })).json();
  await git("add", ".");
  expect(await ask("diff?repo=projects/one")).toMatchObject({
    diff: expect.stringContaining("+one") as string,
  });
  await git("commit", "-qm", "first");
  await writeFile(path.join(folder, "first"), "two\n");
  await writeFile(path.join(folder, "ü *"), "new\n");
  expect(await ask("repos")).toEqual({ repositories: [{ path: "projects/one" }] });
  expect(await ask("status?repo=projects/one")).toMatchObject({
    branch: "main",
    files: [
      { path: "first", index: " ", workingTree: "M" },
      { path: "ü *", index: "?", workingTree: "?" },
    ],
    truncated: false,
  });
  const diff = (await ask("diff?repo=projects/one&path=first")) as { diff: string };
  expect(diff.diff).toMatch(/-one\n\+two\n$/);
  expect(await ask("diff?repo=projects/one&path=*")).toEqual({ diff: "", truncated: false });

  await writeFile(path.join(folder, "first"), Buffer.alloc(10 * 1024 * 1024, "line\n"));
  const large = (await ask("diff?repo=projects/one")) as { diff: string; truncated: boolean };
  expect(large.truncated).toBe(true);
  expect(large.diff).toMatch(/only its first 64 KB are shown\.\]\n$/);
  expect(Buffer.byteLength(large.diff)).toBeLessThan(65 * 1024);
  await writeFile(path.join(folder, "first"), Buffer.alloc(10 * 1024 * 1024));
  expect(await ask("diff?repo=projects/one")).toMatchObject({
    diff: expect.stringContaining("Binary files") as string,
    truncated: false,
  });
});

test("programs that a repository's configuration names are not run", async () => {
  const folder = path.join(sidecar.workspace, "repo");
  await mkdir(folder);
  const git = (...args: string[]) =>
    run("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@t", ...args]);
  await git("init", "-q");
  await writeFile(path.join(folder, "file"), "one\n");
  await writeFile(path.join(folder, ".gitattributes"), "* diff=spy\n");
  await git("add", ".");
  await git("commit", "-qm", "first");
  await writeFile(path.join(folder, "file"), "two\n");
  const spy = path.join(sidecar.folder, "spy.sh");
  await writeFile(spy, `#!/bin/sh\necho run >> ${sidecar.folder}/ran\n`, { mode: 0o755 });
  for (const key of ["core.fsmonitor", "diff.external", "diff.spy.textconv", "diff.spy.command"]) {
    await git("config", key, spy);
  }
  await git("config", "core.hooksPath", sidecar.folder);
  await writeFile(path.join(sidecar.folder, "post-index-change"), `#!/bin/sh\n${spy}\n`, {
    mode: 0o755,
  });
  expect((await sidecar.call({ path: "/api/git/status?repo=repo" })).status).toBe(200);
  const diff = await sidecar.call({ path: "/api/git/diff?repo=repo" });
  expect(diff.json()).toMatchObject({ diff: expect.stringContaining("+two") as string });
  const { stdout } = await run("ls", [sidecar.folder]);
  expect(stdout.split("\n")).not.toContain("ran");
});

test("programs of the sandbox's own are kept running across a restart of the sidecar", async () => {
  const own = await startSidecarHarness({
    supervise: [{ name: "agent", argv: ["sleep", "1000"] }],
  });
  try {
    const pid = async () => {
      const { services } = (await own.call({ path: "/api/services" })).json() as {
        services: { pid: number | null }[];
      };
      return services[0]?.pid ?? null;
    };
    const first = await pid();
    await own.restart();
    expect(await pid()).toBe(first);
    process.kill(first ?? 0, "SIGKILL");
    await vi.waitUntil(async () => ![null, first].includes(await pid()), patience);
    expect((await own.call({ method: "DELETE", path: "/api/services/agent" })).status).toBe(403);
  } finally {
    await own.close();
  }
});
