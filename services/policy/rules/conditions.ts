/** What rules ask of the parameters of an action, made ready to be asked many times. Pure. */
import { assertNever } from "#contracts/assert-never";
import type { Condition } from "#contracts/policy/rules";
import { compileGlob } from "./glob.ts";

/**
 * Whether a parameter's value is what a condition asks for. Null where that cannot be told: a list where
 * one value is expected, a number written as text. What is not there (undefined, null) meets no condition.
 */
export type ConditionTest = (value: unknown) => boolean | null;

/** The longest text that is held against a pattern, in UTF-16 units. */
export const longestText = 10_000;

export const compileCondition = (condition: Condition): ConditionTest => {
  const isMet = compilePlain(condition);
  return (value) => {
    if (value === undefined || value === null) return false;
    return typeof value === "object" ? null : isMet(value);
  };
};

/** For values that are there, and are no list and no object. */
const compilePlain = (condition: Condition): ConditionTest => {
  switch (condition.op) {
    case "equals":
      return oneOf([condition.value]);
    case "in":
      return oneOf(condition.values);
    case "matches": {
      const matches = compileGlob(condition.glob);
      return (value) =>
        typeof value === "string" && value.length <= longestText ? matches(value) : null;
    }
    case "between": {
      const [min, max] = [condition.min ?? -Infinity, condition.max ?? Infinity];
      return (value) => (typeof value === "number" ? value >= min && value <= max : null);
    }
    default:
      return assertNever(condition);
  }
};

/** Values of another type than all that are expected cannot be compared; of no values none is met. */
const oneOf = (expected: readonly unknown[]): ConditionTest => {
  if (expected.length === 0) return () => false;
  const values = new Set(expected);
  const types = new Set(expected.map((each) => typeof each));
  return (value) => (values.has(value) ? true : types.has(typeof value) ? false : null);
};
