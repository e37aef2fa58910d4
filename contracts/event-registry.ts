/**
 * Every event that may stand in the log, by aggregate. Reading goes through `parseEvent`, which
 * lifts old shapes to the present one, so that no other code ever sees an old version.
 */
import type { StoredEvent } from "./commit.ts";
import type { AggregateType } from "./commit.ts";
import type { EventDefinition } from "./define-event.ts";
import { type TextErased, textErased } from "./erasure/events.ts";
import { type ConfigurationEvent, configurationEvents } from "./configuration/events.ts";
import { type ConnectorEvent, connectorEvents } from "./connector/events.ts";
import { connectorUpcasters } from "./connector/upcasters.ts";
import { type IntegrationEvent, integrationEvents } from "./integration/events.ts";
import { type InvocationEvent, invocationEvents } from "./invocation/events.ts";
import { invocationUpcasters } from "./invocation/upcasters.ts";
import { type OrganizationEvent, organizationEvents } from "./organization/events.ts";
import { type PolicyEvent, policyEvents } from "./policy/events.ts";
import { policyUpcasters } from "./policy/upcasters.ts";
import { assertReadable, type EventRegistry, readEvent, unknownType } from "./read-event.ts";
import { type RuleEvent, ruleEvents } from "./rule/events.ts";
import { type RunEvent, runEvents } from "./run/events.ts";
import { type ServiceTokenEvent, serviceTokenEvents } from "./service-token/events.ts";
import { type SessionEvent, sessionEvents } from "./session/events.ts";
import { sessionUpcasters } from "./session/upcasters.ts";
import { type ToolCallEvent, toolCallEvents } from "./tools/events.ts";
import { type TranscriptEvent, transcriptEvents } from "./transcript/events.ts";
import { transcriptUpcasters } from "./transcript/upcasters.ts";
import { type TriggerEvent, triggerEvents } from "./trigger/events.ts";

export const eventsByAggregate = {
  session: sessionEvents,
  transcript: transcriptEvents,
  invocation: invocationEvents,
  policy: policyEvents,
  integration: integrationEvents,
  connector: connectorEvents,
  rule: ruleEvents,
  trigger: triggerEvents,
  run: runEvents,
  tool_calls: toolCallEvents,
  configuration: configurationEvents,
  organization: organizationEvents,
  service_token: serviceTokenEvents,
} as const satisfies Record<AggregateType, readonly EventDefinition[]>;

/** Every event, in whatever aggregate it may stand. */
export const allEvents: readonly EventDefinition[] = [
  ...Object.values(eventsByAggregate).flat(),
  textErased,
];

/** The events that deciders decide and fold. */
export type DomainEvent =
  | SessionEvent
  | TranscriptEvent
  | InvocationEvent
  | PolicyEvent
  | IntegrationEvent
  | ConnectorEvent
  | RuleEvent
  | TriggerEvent
  | RunEvent
  | ToolCallEvent
  | ConfigurationEvent
  | OrganizationEvent
  | ServiceTokenEvent;
export type AnyEvent = DomainEvent | TextErased;
export type EventType = AnyEvent["type"];

/** Every definition, and the functions that lift older versions: `"Type:1"` goes from 1 to 2. */
const registry: EventRegistry = {
  definitions: new Map(
    allEvents.map((definition): [string, EventDefinition] => [definition.type, definition]),
  ),
  upcasters: {
    ...sessionUpcasters,
    ...transcriptUpcasters,
    ...invocationUpcasters,
    ...connectorUpcasters,
    ...policyUpcasters,
  },
};

/** The definition of an event type. Throws `event_unknown`. */
export const definitionOf = (type: string): EventDefinition => {
  const definition = registry.definitions.get(type);
  if (!definition) throw unknownType(type);
  return definition;
};

/**
 * Reads a stored event in its present shape.
 *
 * @throws DomainError `event_unknown` for a type or version that this program does not know,
 * `event_invalid` for data that do not fit the schema.
 */
export const parseEvent = (stored: StoredEvent): AnyEvent =>
  readEvent(stored, registry) as AnyEvent;

/** Refuses an event whose type or version this program does not know. Throws DomainError `event_unknown`. */
export const assertKnown = (stored: StoredEvent): void => assertReadable(stored, registry);
