import type { TriggerCommand } from "#contracts/trigger/commands";
import { triggerEvents } from "#contracts/trigger/events";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { triggerDecider } from "./decider.ts";

const [created] = triggerEvents;

describeDecider("a trigger", {
  decider: triggerDecider,
  events: triggerEvents,
  commands: arbitraryOf(created.data).map((data): TriggerCommand => ({
    type: "CreateTrigger",
    ...data,
  })),
  repeated: { CreateTrigger: ["idempotency_key_reused"] },
});
