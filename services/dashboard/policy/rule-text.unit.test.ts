import { expect, it } from "vitest";
import { newId } from "#contracts/ids";
import type { RuleView } from "#contracts/policy/view";
import { limitsOf, overText } from "./rule-text.ts";

const now = Date.parse("2026-06-01T00:00:00Z");
const rule: RuleView = {
  ...{ integration: "demo", action: "act", mode: "allow", scope: { kind: "organization" } },
  ...{ conditions: [], expiresAt: null, budget: null, spent: null, note: "" },
  ...{ id: newId("rule"), by: "usr", byName: null, at: "2026-01-01T00:00:00Z" },
};

it.each<[string, Partial<RuleView>, string | null]>([
  ["holds without limits", {}, null],
  ["holds until it ends", { expiresAt: "2026-06-01T00:00:01Z" }, null],
  ["has expired when it ends", { expiresAt: "2026-06-01T00:00:00Z" }, "Expired"],
  ["holds while calls are left", { budget: 3, spent: 2 }, null],
  ["is used up with its last call", { budget: 3, spent: 3 }, "Used up"],
  ["is used up under a smaller budget than before", { budget: 3, spent: 9 }, "Used up"],
])("a rule %s", (_name, limits, over) => {
  expect(overText({ ...rule, ...limits }, now)).toBe(over);
});

it("tells what is left of a budget, never less than nothing", () => {
  const left = (spent: number) => limitsOf({ ...rule, budget: 40, spent });
  expect([left(2), left(41)]).toEqual([["38 of 40 calls left"], ["0 of 40 calls left"]]);
});
