import type { ScenarioInput } from "../scenario.ts";

/** Repeats what it was sent of the conversation: for seeing what an agent remembers. */
export const recall: ScenarioInput = {
  name: "recall",
  select: { by: "matches", pattern: "\\brecall\\b" },
  steps: [{ kind: "answer", text: "This is what I know of our conversation: {{said}}" }],
};
