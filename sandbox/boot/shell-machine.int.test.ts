import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DomainError } from "#contracts/errors";
import type { Exec } from "../provider/exec.ts";
import { filesThrough } from "../providers/files-through.ts";
import { runProcess } from "../providers/local/run-process.ts";
import { shellMachine } from "./shell-machine.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "proliferate-shell-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const patience = { timeout: 30_000 };
const limits = { timeoutMs: 60_000, maxOutputBytes: 100_000 };
const environment = { PATH: process.env["PATH"] ?? "" };

const exec: Exec = async (argv, { cwd = home, env = {} } = {}) => {
  const result = await runProcess({ ...limits, argv, cwd, env: { ...environment, ...env } });
  return { ...result, stdout: result.stdout.toString(), stderr: result.stderr.toString() };
};

const open = () =>
  shellMachine({
    exec,
    files: filesThrough((command) => runProcess({ ...command, cwd: home, env: environment })),
    home,
    workspace: path.join(home, "the workspace"),
  });

test("a program outlives the command that launched it, is found again, and is stopped", async () => {
  const machine = open();
  await machine.prepare();
  expect(await machine.find("sidecar")).toBeNull();
  const script = 'echo "$PLACE $1 in $PWD"; sleep 86400 & exec sleep 86400';
  const launched = await machine.launch({
    name: "sidecar",
    argv: ["sh", "-c", script, "sh", "it's $HOME"],
    env: { PLACE: "here" },
  });
  expect(await launched.running()).toBe(true);
  const said = `here it's $HOME in ${home}/the workspace`;
  await vi.waitFor(async () => expect(await launched.logTail()).toBe(said), patience);

  // Another process, after a restart of the control plane.
  const found = await open().find("sidecar");
  expect(await found?.running()).toBe(true);
  await found?.stop();
  expect(await launched.running()).toBe(false);
  expect(await open().find("sidecar")).toBeNull();
  await found?.stop();
});

test("a program that ends at once leaves its last words", async () => {
  const machine = open();
  await machine.prepare();
  const argv = ["no-such-program"] as const;
  const program = await machine.launch({ name: "caddy", argv, env: {} });
  await vi.waitFor(async () => expect(await program.running()).toBe(false), patience);
  expect(await program.logTail()).toContain("no-such-program");
});

test("the boot record is kept whole, for the sandbox's user alone", async () => {
  const { record, prepare } = open();
  await prepare();
  expect(await record.read()).toBeNull();
  await record.write('{"a":1}');
  await record.write('{"a":"ä"}');
  expect(await open().record.read()).toBe('{"a":"ä"}');
  const mode = await exec(["stat", "-c", "%a", `${home}/.proliferate/run/boot.json`]);
  expect(mode.stdout.trim()).toBe("600");
});

test("a program that cannot be launched at all says so", async () => {
  const machine = open();
  // The workspace is not there: nothing has been prepared.
  const launch = machine.launch({ name: "opencode", argv: ["true"], env: {} });
  await expect(launch).rejects.toBeInstanceOf(DomainError);
});
