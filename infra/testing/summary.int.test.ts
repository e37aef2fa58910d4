import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "summary-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const suite = (status: string, ...tests: string[]) => ({
  status,
  name: "some.test.ts",
  message: "",
  assertionResults: tests.map((each) => ({
    status: each,
    fullName: "does it",
    failureMessages: each === "failed" ? ["Error: it does not"] : [],
  })),
});

it.each([
  ["all well", [suite("passed", "passed", "passed", "skipped", "todo")], "0", [2, 0, 2], 0],
  ["a failed test", [suite("failed", "passed", "failed")], "1", [1, 1, 0], 1],
  ["a file that did not load", [suite("passed", "passed"), suite("failed")], "1", [1, 1, 0], 1],
  ["a hook that threw", [suite("failed", "skipped", "skipped")], "1", [0, 1, 2], 1],
  ["an error outside of all tests", [suite("passed", "passed")], "1", [1, 1, 0], 1],
  ["no report at all", undefined, "1", [0, 1, 0], 1],
])("counts %s", async (_case, testResults, exitCode, [passed, failed, skipped], status) => {
  const file = join(folder, "report.json");
  await writeFile(file, testResults === undefined ? "" : JSON.stringify({ testResults }));
  const script = join(import.meta.dirname, "summary.mjs");
  const result = spawnSync(process.execPath, [script, file, exitCode], { encoding: "utf8" });
  expect(result.stdout).toBe(
    `Tests: ${String(passed)} passed, ${String(failed)} failed, ${String(skipped)} skipped\n`,
  );
  expect(result.status).toBe(status);
  expect(result.stderr.match(/^Failed: /gm) ?? []).toHaveLength(Number(failed));
});

it("names what has failed, and says why", async () => {
  const file = join(folder, "named.json");
  await writeFile(file, JSON.stringify({ testResults: [suite("failed", "passed", "failed")] }));
  const script = join(import.meta.dirname, "summary.mjs");
  const result = spawnSync(process.execPath, [script, file, "1"], { encoding: "utf8" });
  expect(result.stderr).toBe("Failed: some.test.ts > does it\nError: it does not\n");
});

it("adds up several runs, and misses none that has not reported", async () => {
  const file = join(folder, "first.json");
  const testResults = [suite("passed", "passed"), suite("passed", "skipped")];
  await writeFile(file, JSON.stringify({ testResults }));
  const script = join(import.meta.dirname, "summary.mjs");
  const runs = [file, "0", join(folder, "absent.json"), "1", file, "1"];
  const result = spawnSync(process.execPath, [script, ...runs], { encoding: "utf8" });
  expect(result.stdout).toBe("Tests: 2 passed, 2 failed, 2 skipped\n");
  expect(result.status).toBe(1);
});
