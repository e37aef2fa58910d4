import fc from "fast-check";
import { organizationEvents } from "#contracts/organization/events";
import { describeDecider } from "#event-store/testing/decider-properties";
import { organizationDecider } from "./decider.ts";

describeDecider("an organisation", {
  decider: organizationDecider,
  events: organizationEvents,
  commands: fc.oneof(
    fc.record({
      type: fc.constant("SetAutoDeleteDefault" as const),
      days: fc.constantFrom(null, 7, 30),
    }),
    fc.record({ type: fc.constant("ClearAutoDeleteDefault" as const) }),
  ),
  repeated: { SetAutoDeleteDefault: "nothing", ClearAutoDeleteDefault: "nothing" },
});
