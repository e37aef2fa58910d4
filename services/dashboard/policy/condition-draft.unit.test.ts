import { expect, it } from "vitest";
import { conditionSchema } from "#contracts/policy/rules";
import { type ConditionDraft, conditionOf, emptyDraft } from "./condition-draft.ts";

const path = "issue.team";

it.each<[string, Partial<ConditionDraft>, unknown]>([
  ["a text", { op: "equals", text: " ops " }, { op: "equals", path, value: "ops" }],
  ["a number", { op: "equals", text: "-1.5" }, { op: "equals", path, value: -1.5 }],
  ["a truth value", { op: "equals", text: "false" }, { op: "equals", path, value: false }],
  ["a number that is a text", { op: "equals", text: '"7"' }, { op: "equals", path, value: "7" }],
  [
    "a version, which is a text",
    { op: "equals", text: "1.2.3" },
    { op: "equals", path, value: "1.2.3" },
  ],
  [
    "a number too long to be kept as one",
    { op: "equals", text: "12345678901234567890" },
    { op: "equals", path, value: "12345678901234567890" },
  ],
  ["lines", { op: "in", text: "#a, b\n\n7\n" }, { op: "in", path, values: ["#a, b", 7] }],
  ["a pattern", { op: "matches", text: "7.*" }, { op: "matches", path, glob: "7.*" }],
  ["a range", { op: "between", min: "0", max: "" }, { op: "between", path, min: 0, max: null }],
])("reads %s", (_name, draft, condition) => {
  const read = conditionOf({ ...emptyDraft(0), path, ...draft });
  expect(read).toEqual(condition);
  expect(conditionSchema.safeParse(read).success).toBe(true);
});
