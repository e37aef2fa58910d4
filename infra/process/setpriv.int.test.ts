import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { expect, it, vi } from "vitest";
import { isAlive } from "./running-processes.ts";
import { endingWithParent, findSetpriv } from "./setpriv.ts";

const hasSetpriv = (await findSetpriv()) !== undefined;

/** Starts the program of its arguments in a group of its own, prints its process id, and stays. */
const parentScript = `
const [command, ...args] = process.argv.slice(1);
const child = require("node:child_process").spawn(command, args, { detached: true });
console.log(child.pid);
`;

it.skipIf(!hasSetpriv)("ends the program when its parent is killed", async () => {
  const program = await endingWithParent({ command: "/bin/sleep", args: ["300"] }, "SIGTERM");
  const args = ["-e", parentScript, program.command, ...program.args];
  const parent = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(parent.stdout), "line")) as [string];
  const pid = Number(line);
  // Once it is the program itself, the kernel knows what to send.
  await vi.waitUntil(async () => (await commandOf(pid)) === "/bin/sleep", { timeout: 30_000 });
  parent.kill("SIGKILL");
  await vi.waitUntil(async () => !(await isAlive(pid)), { timeout: 30_000 });
  expect(await isAlive(pid)).toBe(false);
});

const commandOf = async (pid: number): Promise<string | undefined> =>
  (await readFile(`/proc/${String(pid)}/cmdline`, "utf8")).split("\0")[0];
