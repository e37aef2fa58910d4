import fc from "fast-check";
import { policyEvents } from "#contracts/policy/events";
import { actionModeSchema, riskLevelSchema } from "#contracts/policy/mode";
import { policyRuleSchema } from "#contracts/policy/rules";
import { derivedId } from "#contracts/ids";
import { ruleEvents } from "#contracts/rule/events";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { ruleDecider } from "../budgets/budget-decider.ts";
import { policyDecider } from "./decider.ts";

const names = fc.constantFrom("demo", "git", "publish", '","', "__proto__");
const hashes = fc.constantFrom(null, "h1", "h2");
const ruleIds = fc.constantFrom(derivedId("rule", "1"), derivedId("rule", "2"));
const mode = arbitraryOf(actionModeSchema);
const author = {
  by: fc.constantFrom("usr_1", "usr_2"),
  at: fc.constant("2026-01-01T00:00:00.000Z"),
};

describeDecider("a policy", {
  decider: policyDecider,
  events: policyEvents,
  commands: fc.oneof(
    fc.record({
      type: fc.constant("SetActionMode" as const),
      integration: names,
      action: names,
      mode,
      ...author,
      definitionHash: hashes,
    }),
    fc.record({
      type: fc.constant("ClearActionMode" as const),
      integration: names,
      action: names,
    }),
    fc.record({
      type: fc.constant("SetAutomationMode" as const),
      triggerId: fc.constantFrom(derivedId("trigger", "1"), derivedId("trigger", "2")),
      integration: names,
      action: names,
      mode: fc.option(mode),
      ...author,
      definitionHash: hashes,
    }),
    fc.record({
      type: fc.constant("OverrideRisk" as const),
      integration: names,
      action: fc.option(names),
      risk: fc.option(arbitraryOf(riskLevelSchema)),
      ...author,
    }),
    fc.record({
      type: fc.constant("SetRule" as const),
      ruleId: ruleIds,
      rule: arbitraryOf(policyRuleSchema),
      ...author,
      definitionHash: hashes,
    }),
    fc.record({ type: fc.constant("RemoveRule" as const), ruleId: ruleIds }),
    fc.record({ type: fc.constant("SetFullResultKeeping" as const), keep: fc.boolean() }),
  ),
  repeated: {
    SetActionMode: "nothing",
    ClearActionMode: "nothing",
    SetAutomationMode: "nothing",
    OverrideRisk: "nothing",
    SetRule: "nothing",
    RemoveRule: "nothing",
    SetFullResultKeeping: "nothing",
  },
});

describeDecider("a rule with a budget", {
  decider: ruleDecider,
  events: ruleEvents,
  commands: fc.record({
    type: fc.constant("SpendCall" as const),
    invocationId: fc.constantFrom(...[1, 2, 3, 4].map((n) => derivedId("invocation", String(n)))),
    budget: fc.constant(3),
  }),
  repeated: { SpendCall: "nothing" },
});
