import { randomBytes } from "node:crypto";
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Sandbox } from "modal";
import { openModalEmulator, type ModalEmulator } from "../../testing/modal-emulator/index.ts";
import { runCommand, type ModalCommand } from "./run-command.ts";

const patience = { timeout: 30_000, interval: 50 };
const limits = { timeoutMs: 60_000, maxOutputBytes: 8 * 1024 * 1024 };

let emulator: ModalEmulator;
let sandbox: Sandbox;
beforeAll(async () => {
  emulator = await openModalEmulator({ programs: {} });
  const client = emulator.newClient();
  const app = await client.apps.fromName(emulator.appName);
  sandbox = await client.sandboxes.create(app, await client.images.fromId(emulator.baseImageId));
});
afterAll(() => emulator[Symbol.asyncDispose]());

const run = (argv: ModalCommand["argv"], more: Partial<ModalCommand> = {}) =>
  runCommand(sandbox, { ...limits, argv, ...more });

/** A duration that no other `sleep` on this computer has. */
const uniqueSeconds = () => `9${randomBytes(4).readUInt32BE()}`;
const isRunning = (seconds: string) =>
  execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes(`sleep ${seconds}`);

it("passes arguments, environment, folder and input as they are", async () => {
  const script = 'printf "%s|" "$@"; printf "%s|" "$WORD" "$PWD"; cat';
  const argv = ["sh", "-c", script, "sh", "$(id)", "a'b\"c", ""] as const;
  const result = await run([...argv], { env: { WORD: "`x`" }, cwd: "/usr", stdin: "typed" });
  expect(result).toMatchObject({ exitCode: 0, timedOut: false, truncated: false });
  expect(result.stdout.toString()).toBe("$(id)|a'b\"c||`x`|/usr|typed");
});

it("carries binary input of many messages both ways", async () => {
  const content = randomBytes(3 * 1024 * 1024 + 17);
  const result = await run(["cat"], { stdin: content });
  expect(result.stdout.equals(content)).toBe(true);
});

it("keeps both streams and the exit code, and does not mind input that nobody reads", async () => {
  const script = "echo out; echo err >&2; exit 3";
  const result = await run(["sh", "-c", script], { stdin: randomBytes(200_000) });
  expect(result.exitCode).toBe(3);
  expect([result.stdout.toString(), result.stderr.toString()]).toEqual(["out\n", "err\n"]);
});

it("keeps output up to the limit and reads the command to its end", async () => {
  const result = await run(["sh", "-c", "seq 1 100000; exit 4"], { maxOutputBytes: 1_000 });
  expect(result).toMatchObject({ exitCode: 4, truncated: true });
  expect(result.stdout).toHaveLength(1_000);
});

it("goes on reading by offset when the connection is cut in the middle of the output", async () => {
  emulator.faults.dropAfter("TaskExecStdioRead", 3);
  const result = await run(["seq", "1", "100000"]);
  expect(result.stdout.toString()).toBe(
    Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(""),
  );
});

it("kills all that a command has started when its time is over", async () => {
  const seconds = uniqueSeconds();
  const script = `echo begun; setsid sleep ${seconds} & sleep ${seconds}`;
  const result = await run(["sh", "-c", script], { timeoutMs: 2_000 });
  expect(result).toMatchObject({ exitCode: null, timedOut: true });
  await vi.waitFor(() => expect(isRunning(seconds)).toBe(false), patience);
});

it("kills it, and throws the reason, when the caller has gone", async () => {
  const seconds = uniqueSeconds();
  const caller = new AbortController();
  const running = run(["sleep", seconds], { signal: caller.signal });
  running.catch(() => undefined);
  await vi.waitFor(() => expect(isRunning(seconds)).toBe(true), patience);
  caller.abort(new Error("gone"));
  await expect(running).rejects.toThrow("gone");
  await vi.waitFor(() => expect(isRunning(seconds)).toBe(false), patience);
});
