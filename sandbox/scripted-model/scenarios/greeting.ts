import type { ScenarioInput } from "../scenario.ts";

/** Streams a paragraph: for watching tokens arrive. */
export const greeting: ScenarioInput = {
  name: "greeting",
  select: { by: "matches", pattern: "\\b(greeting|greet|hello)\\b" },
  steps: [
    {
      kind: "answer",
      text:
        "Hello, and welcome to this session. I am a scripted model: I read your prompt, pick one of a few prepared " +
        "scenarios, and stream its answer word by word, exactly as a real model would. Nothing that I say was thought " +
        "up just now, but everything around me is real: the agent that asks me, its tools, and the sandbox that it " +
        "works in. What shall we build today?",
    },
  ],
};
