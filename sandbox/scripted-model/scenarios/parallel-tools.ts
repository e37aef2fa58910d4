import type { ScenarioInput } from "../scenario.ts";

/** Two tool calls in one answer, which the agent runs at the same time. */
export const parallelTools: ScenarioInput = {
  name: "parallel-tools",
  select: { by: "contains", anyOf: ["parallel"] },
  steps: [
    {
      kind: "answer",
      text: "I will run two commands at once.",
      toolCalls: [
        { name: "bash", input: { command: "echo first" } },
        { name: "bash", input: { command: "echo second" } },
      ],
    },
    { kind: "answer", text: "Both commands have ended. The later result was: {{lastToolResult}}" },
  ],
};
