/** Conditions of rules on the command line. */
import { InvalidArgumentError } from "commander";
import { assertNever } from "#contracts/assert-never";
import { type Condition, conditionSchema } from "#contracts/policy/rules";

/** Reads one condition, as JSON, beside those before it, for Commander. */
export const readCondition = (text: string, before: readonly Condition[]): readonly Condition[] => {
  const parsed = conditionSchema.safeParse(jsonOf(text));
  if (!parsed.success) {
    throw new InvalidArgumentError("It has to be a condition as JSON, as docs/policy.md has them.");
  }
  return [...before, parsed.data];
};

/** @throws InvalidArgumentError */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError("It has to be JSON.");
  }
};

export const conditionText = (condition: Condition): string => {
  const { path } = condition;
  switch (condition.op) {
    case "equals":
      return `${path} = ${JSON.stringify(condition.value)}`;
    case "in":
      return `${path} in ${JSON.stringify(condition.values)}`;
    case "matches":
      return `${path} like ${JSON.stringify(condition.glob)}`;
    case "between":
      return `${path} from ${condition.min ?? "-∞"} to ${condition.max ?? "∞"}`;
    default:
      return assertNever(condition);
  }
};
