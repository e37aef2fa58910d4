/**
 * Every event that may stand in the log, by aggregate. Reading goes through `parseEvent`, which
 * lifts old shapes to the present one, so that no other code ever sees an old version.
 */
import type { StoredEvent } from "./commit.ts";
import type { AggregateType } from "./commit.ts";
import type { EventDefinition } from "./define-event.ts";
import { DomainError } from "./errors.ts";
import { type InvocationEvent, invocationEvents } from "./invocation/events.ts";
import { type PolicyEvent, policyEvents } from "./policy/events.ts";
import { type RunEvent, runEvents } from "./run/events.ts";
import { type SessionEvent, sessionEvents } from "./session/events.ts";
import { type TranscriptEvent, transcriptEvents } from "./transcript/events.ts";
import { type TriggerEvent, triggerEvents } from "./trigger/events.ts";

export const eventsByAggregate = {
  session: sessionEvents,
  transcript: transcriptEvents,
  invocation: invocationEvents,
  policy: policyEvents,
  trigger: triggerEvents,
  run: runEvents,
} as const satisfies Record<AggregateType, readonly EventDefinition[]>;

export type AnyEvent =
  SessionEvent | TranscriptEvent | InvocationEvent | PolicyEvent | TriggerEvent | RunEvent;
export type EventType = AnyEvent["type"];

/** Lifts the data of one version of an event to the next. Pure. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/** `"Type:1"` names the function from version 1 to version 2 of that type. */
const upcasters: Readonly<Record<string, Upcaster>> = {};

const definitions: ReadonlyMap<string, EventDefinition> = new Map(
  Object.values(eventsByAggregate)
    .flat()
    .map((definition): [string, EventDefinition] => [definition.type, definition]),
);

/** The definition of an event type. Throws `event_unknown`. */
export const definitionOf = (type: string): EventDefinition => {
  const definition = definitions.get(type);
  if (!definition) {
    throw new DomainError(
      "event_unknown",
      `The event type "${type}" is not known to this version.`,
      {
        fields: { type },
      },
    );
  }
  return definition;
};

/**
 * Reads a stored event in its present shape.
 *
 * @throws DomainError `event_unknown` for a type or version that this program does not know,
 * `event_invalid` for data that do not fit the schema.
 */
export const parseEvent = (stored: StoredEvent): AnyEvent => {
  const definition = definitionOf(stored.type);
  let { data } = stored;
  for (let version = stored.v; version !== definition.v; version += 1) {
    const upcast = upcasters[`${stored.type}:${version}`];
    if (!upcast) {
      throw new DomainError(
        "event_unknown",
        `Version ${stored.v} of the event "${stored.type}" is not known to this version.`,
        { fields: { type: stored.type, v: stored.v } },
      );
    }
    data = upcast(data);
  }
  const parsed = definition.data.safeParse(data);
  if (!parsed.success) {
    throw new DomainError("event_invalid", `An event "${stored.type}" does not fit its schema.`, {
      fields: { id: stored.id, type: stored.type },
      cause: parsed.error,
    });
  }
  return { type: stored.type, data: parsed.data } as AnyEvent;
};
