import type { InvocationId } from "../ids.ts";

export interface RuleCommand {
  readonly type: "SpendCall";
  readonly invocationId: InvocationId;
  /** How many calls the rule allows in all. */
  readonly budget: number;
}
