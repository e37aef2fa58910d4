import fc from "fast-check";
import { actionModeSchema, policyEvents } from "#contracts/policy/events";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { policyDecider } from "./decider.ts";

const names = fc.constantFrom("demo", "git", "publish", '","', "__proto__");

describeDecider("a policy", {
  decider: policyDecider,
  events: policyEvents,
  commands: fc.record({
    type: fc.constant("SetActionMode"),
    integration: names,
    action: names,
    mode: arbitraryOf(actionModeSchema),
  }),
  repeated: { SetActionMode: "nothing" },
});
