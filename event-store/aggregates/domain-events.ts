import type { Commit } from "#contracts/commit";
import { type DomainEvent, parseEvent } from "#contracts/event-registry";

/**
 * The events of a commit in their present shapes, without the marks of an erasure: what was erased shows
 * in the events before, and is nothing that deciders or reactors have to know.
 *
 * @throws DomainError `event_unknown`, `event_invalid`
 */
export const domainEventsOf = ({ events }: Commit): readonly DomainEvent[] =>
  events.flatMap((stored) => {
    const event = parseEvent(stored);
    return event.type === "TextErased" ? [] : [event];
  });
