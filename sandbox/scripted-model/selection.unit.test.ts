import { describe, expect, it } from "vitest";
import { scenarioSchema } from "./scenario.ts";
import type { ScenarioInput } from "./scenario.ts";
import { defaultScenarios } from "./scenarios/index.ts";
import { exchangeAt, selectScenario, stepAt } from "./selection.ts";

const shipped = defaultScenarios.map((scenario) => scenarioSchema.parse(scenario));

describe("selecting a scenario", () => {
  it.each([
    ["Please FIX the failing test in this repository", "fix-the-failing-test"],
    ["Run two things in parallel", "parallel-tools"],
    ["be overloaded once", "overloaded-once"],
    ["be overloaded", "overloaded"],
    ["give me a slow answer", "slow-answer"],
    ["hang", "hang"],
    ["what has changed?", "echo"],
    ["drop-once", "drop-once"],
    ["Send a greeting", "greeting"],
    ["", "echo"],
  ])("%j → %s", (prompt, expected) => {
    expect(selectScenario(shipped, prompt)?.name).toBe(expected);
  });

  it("has no answer without a match and a default", () => {
    const withoutDefault = shipped.filter((scenario) => scenario.select.by !== "default");
    expect(selectScenario(withoutDefault, "what has changed?")).toBeUndefined();
  });
});

describe("stepping through a scenario", () => {
  const scenario = scenarioSchema.parse({
    name: "faults",
    select: { by: "default" },
    steps: [
      { kind: "error", status: 529, type: "overloaded_error", message: "Overloaded", times: 2 },
      { kind: "drop", text: "broken", afterTokens: 1 },
      { kind: "answer", toolCalls: [{ name: "bash", input: {} }] },
      { kind: "answer", text: "done" },
    ],
  });

  it("plays the faults of a turn's request before its answer, and none for the next request", () => {
    const first = exchangeAt(scenario, 0);
    expect([0, 1, 2, 3, 4].map((attempt) => stepAt(first, attempt).kind)).toEqual([
      "error",
      "error",
      "drop",
      "answer",
      "answer",
    ]);
    expect(stepAt(exchangeAt(scenario, 1), 0)).toMatchObject({ text: "done" });
  });

  it("answers with the last step when it is asked past the end", () => {
    expect(stepAt(exchangeAt(scenario, 7), 0)).toMatchObject({ text: "done" });
  });
});

describe("the schema of a scenario", () => {
  const valid: ScenarioInput = {
    name: "valid",
    select: { by: "default" },
    steps: [{ kind: "answer", text: "ok" }],
  };

  it.each<[string, Partial<ScenarioInput>]>([
    ["an answer that says nothing", { steps: [{ kind: "answer" }] }],
    [
      "a turn that never ends",
      { steps: [{ kind: "answer", toolCalls: [{ name: "bash", input: {} }] }] },
    ],
    [
      "a fault with nothing after it",
      { steps: [{ kind: "drop", text: "a", afterTokens: 1, times: 1 }] },
    ],
    ["a broken pattern", { select: { by: "matches", pattern: "(" } }],
  ])("refuses %s", (_, change) => {
    expect(scenarioSchema.safeParse(valid).success).toBe(true);
    expect(scenarioSchema.safeParse({ ...valid, ...change }).success).toBe(false);
  });
});
