import fc from "fast-check";
import { sessionOfRunSchema } from "#contracts/run/session-of-run";
import type { TriggerCommand } from "#contracts/trigger/commands";
import { triggerEvents } from "#contracts/trigger/events";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { triggerDecider } from "./decider.ts";

const [created] = triggerEvents;

describeDecider("a trigger", {
  decider: triggerDecider,
  events: triggerEvents,
  commands: fc
    .tuple(arbitraryOf(created.data), arbitraryOf(sessionOfRunSchema.nullable()))
    .map(([data, session]): TriggerCommand => ({ type: "CreateTrigger", ...data, session })),
  repeated: { CreateTrigger: ["idempotency_key_reused"] },
});
