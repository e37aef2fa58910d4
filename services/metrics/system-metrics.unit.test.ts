import { Registry } from "prom-client";
import { expect, it } from "vitest";
import type { ProjectionStatus } from "#contracts/projections/view";
import { measureSystem, type SystemFacts } from "./system-metrics.ts";

const halted: ProjectionStatus = {
  models: [
    {
      name: "audit",
      version: 1,
      shards: [
        {
          ...{ shard: 0, state: "halted", checkpoint: 7, end: 9, lag: 2 },
          ...{ problem: null, reportedAt: null },
        },
      ],
      rebuild: null,
    },
  ],
};

const measured = (facts: Partial<SystemFacts>, patienceMs?: number) => {
  const registry = new Registry();
  const warnings: object[] = [];
  measureSystem(
    registry,
    {
      projections: () => Promise.resolve(halted),
      deadLetters: () => Promise.resolve(new Map([["inbox", 3]])),
      ...facts,
    },
    {
      log: { warn: (fields) => void warnings.push(fields) },
      ...(patienceMs !== undefined && { patienceMs }),
    },
  );
  return { registry, warnings };
};

it("tells of each read model what the status says, and of each worker its letters", async () => {
  const text = await measured({}).registry.metrics();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines).toEqual([
    'proliferate_collect_failures_total{source="projections"} 0',
    'proliferate_collect_failures_total{source="dead_letters"} 0',
    'proliferate_projection_checkpoint{model="audit",shard="0"} 7',
    'proliferate_projection_log_end{model="audit",shard="0"} 9',
    'proliferate_projection_lag_commits{model="audit",shard="0"} 2',
    'proliferate_projection_halted{model="audit",shard="0"} 1',
    'proliferate_projection_unattended{model="audit",shard="0"} 0',
    'proliferate_dead_letters{worker="inbox"} 3',
  ]);
});

it("leaves out what cannot be read, says so once, and has it again afterwards", async () => {
  let away = false;
  const { registry, warnings } = measured({
    projections: () => (away ? Promise.reject(new Error("away")) : Promise.resolve(halted)),
  });
  expect(await registry.metrics()).toContain("proliferate_projection_halted{");
  away = true;
  const text = await registry.metrics();
  expect(text).not.toContain("proliferate_projection_halted{");
  expect(text).toContain('proliferate_dead_letters{worker="inbox"} 3');
  expect(warnings).toMatchObject([{ source: "projections", err: { message: "away" } }]);
  away = false;
  const again = await registry.metrics();
  expect(again).toContain("proliferate_projection_halted{");
  expect(again).toContain('proliferate_collect_failures_total{source="projections"} 1');
});

it("does not wait for what does not answer, and does not ask it again meanwhile", async () => {
  let asked = 0;
  let answer: (letters: ReadonlyMap<string, number>) => void = () => undefined;
  const { registry } = measured(
    {
      deadLetters: () => {
        asked += 1;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    },
    1,
  );
  for (let collected = 0; collected < 2; collected += 1) {
    const text = await registry.metrics();
    expect(text).not.toContain("proliferate_dead_letters{");
    expect(text).toContain("proliferate_projection_halted{");
  }
  expect(asked).toBe(1);
  answer(new Map([["inbox", 1]]));
  expect(await registry.metrics()).toContain('proliferate_dead_letters{worker="inbox"} 1');
  await registry.metrics();
  expect(asked).toBe(2);
});
