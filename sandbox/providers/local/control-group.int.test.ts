import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openControlGroups } from "./control-group.ts";
import { runProcess } from "./run-process.ts";

const groups = await openControlGroups({ memoryBytes: 64 * 1024 * 1024, processes: 20 });

const run = async (argv: readonly [string, ...string[]], id: string) => {
  const limits = { timeoutMs: 60_000, maxOutputBytes: 10_000 };
  const env = { PATH: process.env["PATH"] ?? "" };
  return runProcess({ ...limits, argv: (await groups?.enter(id, argv)) ?? argv, cwd: "/", env });
};

/** Without root or a delegated group there is nothing to hold: see docs/sandboxes.md. */
test.runIf(groups)("a sandbox gets no more memory and processes than its limits", async () => {
  const id = `test-${randomUUID()}`;
  const modest = await run(["sh", "-c", 'echo "$1"; exit 7', "sh", "it's me"], id);
  expect([modest.exitCode, modest.stdout.toString()]).toEqual([7, "it's me\n"]);

  const greedy = "Buffer.alloc(300 * 1024 * 1024, 1); console.log('had it')";
  const hungry = await run([process.execPath, "-e", greedy], id);
  expect(hungry.exitCode).not.toBe(0);
  expect(hungry.stdout.toString()).toBe("");

  const many = "for n in $(seq 60); do sleep 1 & done; echo all";
  const forking = await run(["sh", "-c", many], id);
  expect(forking.stdout.toString()).not.toBe("all\n");
  await groups?.remove(id);
});
