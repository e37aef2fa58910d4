import type { ScenarioInput } from "../scenario.ts";

/** Answers every prompt that no other scenario takes. */
export const echo: ScenarioInput = {
  name: "echo",
  select: { by: "default" },
  steps: [
    {
      kind: "answer",
      text: 'I am a scripted model and have no scenario for this, so I repeat what I was asked: "{{prompt}}"',
    },
  ],
};
