import type { ScenarioInput } from "../scenario.ts";

const overload = {
  kind: "error",
  status: 529,
  type: "overloaded_error",
  message: "Overloaded",
} as const;

/** One overload that says when to come back, then an answer. */
export const overloadedOnce: ScenarioInput = {
  name: "overloaded-once",
  select: { by: "matches", pattern: "overloaded[ -]once" },
  steps: [
    { ...overload, retryAfterSeconds: 1, times: 1 },
    {
      kind: "answer",
      text: "The first try was refused because the model was overloaded; the second was answered.",
    },
  ],
};

/** An overload that never ends and says nothing about when it might: the agent retries until it is aborted. */
export const overloaded: ScenarioInput = {
  name: "overloaded",
  select: { by: "contains", anyOf: ["overloaded"] },
  steps: [{ ...overload, times: "always" }],
};
