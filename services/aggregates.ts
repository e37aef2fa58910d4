/** How each kind of aggregate is folded, for those who look at any of them: audits and tools. */
import type { AggregateType } from "#contracts/commit";
import type { DomainEvent } from "#contracts/event-registry";
import type { Fold } from "#event-store/audit/state-at";
import type { Decider } from "#event-store/aggregates/decider";
import { invocationDecider } from "./actions/invocation/decider.ts";
import { runDecider } from "./automations/decider.ts";
import { configurationDecider } from "./configurations/decider.ts";
import { connectorDecider } from "./integrations/connectors/decider.ts";
import { integrationDecider } from "./integrations/connections/decider.ts";
import { organizationDecider } from "./organization/decider.ts";
import { serviceTokenDecider } from "./identity/service-tokens/decider.ts";
import { policyDecider } from "./policy/aggregate/decider.ts";
import { ruleDecider } from "./policy/budgets/budget-decider.ts";
import { sessionDecider } from "./sessions/aggregate/decider.ts";
import { transcriptDecider } from "./sessions/transcript/transcript-decider.ts";
import { toolCallsDecider } from "./tools/decider.ts";
import { triggerDecider } from "./triggers/decider.ts";

/** The log hands an aggregate only events and states of its own type; the types cannot say so. */
const foldOf = <Command, Event extends DomainEvent, State>({
  initialState,
  evolve,
}: Decider<Command, Event, State>): Fold => ({
  initialState,
  evolve: (state, event) => evolve(state as State, event as Event),
});

export const aggregateFolds: Readonly<Record<AggregateType, Fold>> = {
  session: foldOf(sessionDecider),
  transcript: foldOf(transcriptDecider),
  invocation: foldOf(invocationDecider),
  policy: foldOf(policyDecider),
  integration: foldOf(integrationDecider),
  connector: foldOf(connectorDecider),
  rule: foldOf(ruleDecider),
  trigger: foldOf(triggerDecider),
  run: foldOf(runDecider),
  tool_calls: foldOf(toolCallsDecider),
  configuration: foldOf(configurationDecider),
  organization: foldOf(organizationDecider),
  service_token: foldOf(serviceTokenDecider),
};
