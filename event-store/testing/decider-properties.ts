/** What holds for every decider, whatever it decides. Each domain's property test calls this. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDomainError, type ErrorCode } from "#contracts/errors";
import { definitionOf } from "#contracts/event-registry";
import type { EventDefinition } from "#contracts/define-event";
import type { Decider } from "../aggregates/decider.ts";
import { arbitraryOf } from "./arbitrary-of.ts";

interface Typed {
  readonly type: string;
}
interface Happened extends Typed {
  readonly data: unknown;
}

/**
 * What a command that was carried out leads to when it comes again at once: nothing, a refusal with
 * one of these codes, or (for reports of something that did happen again) new events.
 */
export type WhenRepeated = "nothing" | "events" | readonly ErrorCode[];

export interface DeciderUnderTest<Command extends Typed, Event extends Happened, State> {
  readonly decider: Decider<Command, Event, State>;
  readonly events: readonly EventDefinition<Event["type"]>[];
  /** Commands whose ids and epochs meet often enough to get far. */
  readonly commands: fc.Arbitrary<Command>;
  readonly repeated: Readonly<Record<Command["type"], WhenRepeated>>;
}

/** Declares the tests of these properties for a decider. */
export const describeDecider = <Command extends Typed, Event extends Happened, State>(
  name: string,
  { decider, events, commands, repeated }: DeciderUnderTest<Command, Event, State>,
): void => {
  const histories = fc.array(fc.oneof(...events.map((event) => eventsOf<Event>(event))), {
    maxLength: 25,
  });
  const anyCommand = commands.map(throughJson);
  const courses = fc.array(anyCommand, { maxLength: 40, size: "max" });
  const fold = (from: State, history: readonly Event[]): State =>
    history.reduce((state, event) => frozen(decider.evolve(state, frozen(event))), from);
  const initialState = (): State => frozen(decider.initialState());

  describe(`the decider of ${name}`, () => {
    it("folds any valid events in any order, and its state is JSON", () => {
      fc.assert(
        fc.property(histories, (history) => {
          const state = fold(initialState(), history);
          expect(throughJson(state)).toStrictEqual(state);
        }),
      );
    });

    it("comes to the same state from a snapshot at any cut and the events after it", () => {
      fc.assert(
        fc.property(histories, fc.nat(25), (history, cut) => {
          const snapshot = throughJson(fold(initialState(), history.slice(0, cut)));
          expect(fold(frozen(snapshot), history.slice(cut))).toStrictEqual(
            fold(initialState(), history),
          );
        }),
      );
    });

    it("decides the same for the same state and command, or refuses with the same code", () => {
      fc.assert(
        fc.property(histories, anyCommand, (history, command) => {
          const state = fold(initialState(), history);
          const outcome = outcomeOf(decider, command, state);
          expect(outcomeOf(decider, throughJson(command), throughJson(state))).toStrictEqual(
            outcome,
          );
        }),
      );
    });

    it("decides only events that can be read again, and knows a command that comes again", () => {
      fc.assert(
        fc.property(courses, (course) => {
          let state = initialState();
          for (const command of course) {
            const decided = outcomeOf(decider, command, state);
            if (typeof decided === "string") continue;
            for (const { type, data } of decided) {
              expect(definitionOf(type).data.parse(throughJson(data))).toStrictEqual(data);
            }
            state = fold(state, decided);
            const again = outcomeOf(decider, command, state);
            const expected = repeated[command.type as Command["type"]];
            if (decided.length === 0 || expected === "nothing") {
              expect(again, command.type).toStrictEqual([]);
            } else if (expected === "events") {
              expect(again, command.type).not.toBeTypeOf("string");
            } else {
              expect(expected, command.type).toContain(again);
            }
          }
        }),
      );
    });

    it("is tried with every command and every event", () => {
      // Otherwise the properties above could hold because nothing ever happens.
      const carriedOut = new Set<string>();
      const happened = new Set<string>();
      for (const course of fc.sample(courses, { seed: 1, numRuns: 2_000 })) {
        let state = initialState();
        for (const command of course) {
          const decided = outcomeOf(decider, command, state);
          if (typeof decided === "string") continue;
          carriedOut.add(command.type);
          for (const { type } of decided) happened.add(type);
          state = fold(state, decided);
        }
      }
      expect([...carriedOut].sort()).toEqual(Object.keys(repeated).sort());
      expect([...happened].sort()).toEqual(events.map(({ type }) => type).sort());
    });
  });
};

const eventsOf = <Event extends Happened>({ type, data }: EventDefinition): fc.Arbitrary<Event> =>
  arbitraryOf(data).map((value) => throughJson({ type, data: value }) as Event);

/** The events, or the code of the refusal. Anything else that is thrown fails the test. */
const outcomeOf = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  command: Command,
  state: State,
): readonly Event[] | ErrorCode => {
  try {
    return decider.decide(frozen(command), frozen(state));
  } catch (error) {
    if (isDomainError(error)) return error.code;
    throw error;
  }
};

/** As it comes out of the log: without what JSON cannot carry, such as -0. */
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A decider that changes what it is given throws, because modules are strict. */
const frozen = <T>(value: T): T => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
};
