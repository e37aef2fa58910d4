/** Whether the parameters of an action are what a rule speaks of. Pure. */
import { assertNever } from "#contracts/assert-never";
import type { ActionMode } from "#contracts/policy/mode";
import type { Condition, PolicyRule } from "#contracts/policy/rules";
import { matchesGlob } from "./glob.ts";

type Params = Readonly<Record<string, unknown>>;

/** The longest text that is held against a pattern, in UTF-16 units. */
const longestText = 10_000;

/**
 * Whether all conditions of a rule hold. Where that cannot be told (a list where one value is expected, a
 * number written as text), the stricter answer counts: such a condition does not hold in a rule that
 * allows, and holds in one that asks or refuses. A parameter that is not there meets no condition.
 */
export const conditionsHold = (
  { conditions, mode }: Pick<PolicyRule, "conditions" | "mode">,
  params: Params,
): boolean => conditions.every((condition) => holds(condition, params) ?? strictAnswer(mode));

const strictAnswer = (mode: ActionMode): boolean => mode !== "allow";

/** Null when it cannot be told. */
const holds = (condition: Condition, params: Params): boolean | null => {
  const value = valueAt(params, condition.path);
  if (value === undefined || value === null) return false;
  if (typeof value === "object") return null;
  switch (condition.op) {
    case "equals":
      return isSame(value, [condition.value]);
    case "in":
      return isSame(value, condition.values);
    case "matches":
      if (typeof value !== "string" || value.length > longestText) return null;
      return matchesGlob(condition.glob, value);
    case "between":
      if (typeof value !== "number") return null;
      return value >= (condition.min ?? -Infinity) && value <= (condition.max ?? Infinity);
    default:
      return assertNever(condition);
  }
};

/** Values of another type than all that are expected cannot be compared. */
const isSame = (value: unknown, expected: readonly unknown[]): boolean | null => {
  if (expected.includes(value)) return true;
  if (expected.length === 0) return false;
  return expected.some((each) => typeof each === typeof value) ? false : null;
};

const valueAt = (params: Params, path: string): unknown => {
  let value: unknown = params;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      // What is inside a list cannot be told by name.
      return Array.isArray(value) ? value : undefined;
    }
    value = (value as Params)[name];
  }
  return value;
};
