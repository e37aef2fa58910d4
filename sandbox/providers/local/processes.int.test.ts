import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import {
  endSandboxProcesses,
  findSandboxProcesses,
  isSameProcess,
  markerVariable,
  readProcess,
} from "./processes.ts";

const patience = { timeout: 30_000 };

test("everything that a sandbox has started is found and ended, and nothing else", async () => {
  const id = randomUUID();
  const start = (sandboxId: string, script: string) =>
    spawn("sh", ["-c", script], {
      env: { PATH: process.env["PATH"], [markerVariable]: sandboxId },
      detached: true,
      stdio: "ignore",
    });
  // One in a session of its own, one without the marker, and one that does not end when it is asked to.
  const shell = start(
    id,
    `trap "" TERM; setsid sleep 86400 & env -i "$(command -v sleep)" 86400 & while :; do sleep 86400; done`,
  );
  const stranger = start(`${id}-other`, "exec sleep 86400");
  await vi.waitUntil(async () => (await findSandboxProcesses(id)).length === 4, patience);
  const refs = await findSandboxProcesses(id);
  expect(refs.map(({ pid }) => pid)).toContain(shell.pid);

  await endSandboxProcesses(id, { graceMs: 100, timeoutMs: 30_000 });
  expect(await findSandboxProcesses(id)).toEqual([]);
  expect(await Promise.all(refs.map(isSameProcess))).toEqual([false, false, false, false]);
  expect(await readProcess(stranger.pid ?? 0)).not.toBeNull();
  stranger.kill("SIGKILL");
});

test("a process that came later under the same id is another one", async () => {
  const own = await readProcess(process.pid);
  expect(own).not.toBeNull();
  expect(await isSameProcess({ pid: process.pid, startTime: own?.startTime ?? "" })).toBe(true);
  expect(await isSameProcess({ pid: process.pid, startTime: "1" })).toBe(false);
});
