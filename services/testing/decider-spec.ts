/**
 * Given events, when a command, then events or a refusal: how every decider is tested, without I/O.
 *
 * What is given is frozen, so a decider that changes its state in place fails its tests; and what is
 * decided is read back through the schemas of `contracts`, as it will be from the log.
 */
import { expect } from "vitest";
import { type ErrorCode, isDomainError } from "#contracts/errors";
import { definitionOf, parseEvent } from "#contracts/event-registry";
import { newId } from "#contracts/ids";
import type { Decider } from "#event-store/aggregates/decider";

interface AnyDecidedEvent {
  readonly type: string;
  readonly data: object;
}

interface Outcome<Event> {
  /** Exactly these events, in this order; none at all means that there was nothing to do. */
  then(...expected: readonly Event[]): void;
  /** A DomainError with this code. */
  thenRejects(code: ErrorCode): void;
}

interface Given<Command, Event, State> {
  when(command: Command): Outcome<Event>;
  /** The state that the given events fold to, for what no command shows. */
  state(): State;
}

export interface DeciderSpec<Command, Event, State> {
  given(...events: readonly Event[]): Given<Command, Event, State>;
}

/** The given/when/then vocabulary of one decider. */
export const deciderSpec = <Command, Event extends AnyDecidedEvent, State>(
  decider: Decider<Command, Event, State>,
): DeciderSpec<Command, Event, State> => ({
  given: (...events) => {
    const state = () =>
      freeze(
        events.reduce(
          (folded, event) => freeze(decider.evolve(folded, freeze(event))),
          freeze(decider.initialState()),
        ),
      );
    return {
      state,
      when: (command) => ({
        then: (...expected) => {
          const decided = decider.decide(freeze(command), state());
          expect(decided).toEqual(expected);
          for (const event of decided) expectStorable(event);
        },
        thenRejects: (code) => {
          expect(refusalOf(() => decider.decide(freeze(command), state()))).toBe(code);
        },
      }),
    };
  },
});

/** The code of the refusal, or a sentence that says why there was none. */
const refusalOf = (decide: () => readonly unknown[]): string => {
  try {
    return `not refused, but decided ${JSON.stringify(decide())}`;
  } catch (error) {
    if (isDomainError(error)) return error.code;
    throw error;
  }
};

const expectStorable = (event: AnyDecidedEvent): void => {
  const data = JSON.parse(JSON.stringify(event.data)) as Record<string, unknown>;
  const { v } = definitionOf(event.type);
  expect(
    parseEvent({ id: newId("event"), type: event.type, v, data }),
    "as read from the log",
  ).toEqual({
    type: event.type,
    data,
  });
};

const freeze = <T>(value: T): T => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // A frozen Map or Set can still be changed; states are plain data.
  expect(value instanceof Map || value instanceof Set, "states and events are plain data").toBe(
    false,
  );
  for (const inner of Object.values(value)) freeze(inner);
  return value;
};
