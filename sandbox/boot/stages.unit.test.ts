import { expect, it } from "vitest";
import type { StageReport } from "../provider/provider.ts";
import { runStages, runStagesRegardless, type Stage } from "./stages.ts";

const stage = (name: Stage["name"], run: Stage["run"], timeoutMs = 60_000): Stage => ({
  name,
  timeoutMs,
  run,
});
const never = () => new Promise<void>(() => undefined);
const reporting = (secrets: readonly string[] = []) => {
  const reports: StageReport[] = [];
  const signal = new AbortController();
  return {
    reports,
    callOff: () => signal.abort(new Error("called off")),
    run: {
      signal: signal.signal,
      secrets,
      onStage: (report: StageReport) => {
        reports.push(report);
      },
    },
  };
};
const told = (reports: readonly StageReport[]) =>
  reports.map(({ stage: name, outcome, detail }) => [name, outcome, detail]);

it("stops at the first stage that fails, and says which and why, without secrets", async () => {
  const { reports, run } = reporting(["hunter2-token"]);
  const failing = stage("clone", () => Promise.reject(new Error("no entry with hunter2-token")));
  const stages = [stage("folder", () => Promise.resolve()), failing, stage("launch", never)];
  await expect(runStages(stages, run)).rejects.toMatchObject({
    code: "sandbox_boot_failed",
    fields: { stage: "clone" },
    message: "The sandbox did not start (stage clone): no entry with [redacted]",
  });
  expect(told(reports)).toEqual([
    ["folder", "done", null],
    ["clone", "failed", "no entry with [redacted]"],
  ]);
});

it("ends a stage at its deadline, even one that does not listen", async () => {
  const { run } = reporting();
  await expect(runStages([stage("ready", never, 10)], run)).rejects.toThrow(
    /stage ready\): it took longer than/,
  );
});

it("goes on after stages that fail where none of them is essential", async () => {
  const { reports, run } = reporting();
  await runStagesRegardless(
    [
      stage("git_identity", () => Promise.reject(new Error("no git"))),
      stage("freshness", () => Promise.resolve("skipped")),
      stage("sidecar", () => Promise.resolve()),
    ],
    run,
  );
  expect(told(reports)).toEqual([
    ["git_identity", "failed", "no git"],
    ["freshness", "skipped", null],
    ["sidecar", "done", null],
  ]);
});

it("reports nothing any more once it is called off", async () => {
  const { reports, run, callOff } = reporting();
  const ending = stage("freshness", async (signal) => {
    callOff();
    await Promise.resolve();
    signal.throwIfAborted();
  });
  await runStagesRegardless([ending, stage("sidecar", () => Promise.resolve())], run);
  expect(reports).toEqual([]);
});
