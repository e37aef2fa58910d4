import type { StoredEvent } from "./commit.ts";
import type { EventDefinition } from "./define-event.ts";
import { DomainError } from "./errors.ts";

/** Lifts the data of one version of an event to the next. Pure. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/** The events that a program knows, and how it reads their older versions. */
export interface EventRegistry {
  /** By type, each in its present version. */
  readonly definitions: ReadonlyMap<string, EventDefinition>;
  /** `"Type:1"` names the function from version 1 to version 2 of that type. */
  readonly upcasters: Readonly<Record<string, Upcaster>>;
}

/**
 * Reads a stored event in its present shape, lifting it version by version.
 *
 * @throws DomainError `event_unknown` for a type or version that the registry does not know,
 * `event_invalid` for data that do not fit the schema of the present version, or are sealed.
 */
export const readEvent = (
  stored: StoredEvent,
  { definitions, upcasters }: EventRegistry,
): { readonly type: string; readonly data: unknown } => {
  const definition = definitions.get(stored.type);
  if (!definition) throw unknownType(stored.type);
  if (stored.sealed !== undefined) throw invalid(stored, new Error("Its text is sealed."));
  let { data } = stored;
  for (let version = stored.v; version !== definition.v; version += 1) {
    const upcast = upcasters[`${stored.type}:${version}`];
    if (!upcast) throw unknownVersion(stored);
    try {
      data = upcast(data);
    } catch (cause) {
      throw invalid(stored, cause);
    }
  }
  const parsed = definition.data.safeParse(data);
  if (!parsed.success) throw invalid(stored, parsed.error);
  return { type: stored.type, data: parsed.data };
};

/**
 * Checks that {@link readEvent} knows an event's type and version, without looking at its data.
 *
 * @throws DomainError `event_unknown`
 */
export const assertReadable = (
  stored: StoredEvent,
  { definitions, upcasters }: EventRegistry,
): void => {
  const definition = definitions.get(stored.type);
  if (!definition) throw unknownType(stored.type);
  for (let version = stored.v; version !== definition.v; version += 1) {
    if (!upcasters[`${stored.type}:${version}`]) throw unknownVersion(stored);
  }
};

const unknownVersion = ({ type, v }: StoredEvent): DomainError =>
  new DomainError(
    "event_unknown",
    `Version ${v} of the event "${type}" is not known to this version.`,
    { fields: { type, v } },
  );

/** What is thrown for an event type that a program does not know. */
export const unknownType = (type: string): DomainError =>
  new DomainError("event_unknown", `The event type "${type}" is not known to this version.`, {
    fields: { type },
  });

const invalid = ({ id, type }: StoredEvent, cause: unknown): DomainError =>
  new DomainError("event_invalid", `An event "${type}" does not fit its schema.`, {
    fields: { id, type },
    cause,
  });
