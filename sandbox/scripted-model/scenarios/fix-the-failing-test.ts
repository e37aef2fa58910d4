import type { ScenarioInput } from "../scenario.ts";

/** The agent's list, when it has come so far. */
const todosWhen = (repair: "in_progress" | "completed", publish: "in_progress" | "pending") => ({
  name: "todowrite",
  input: {
    todos: [
      { content: "Repair the sum", status: repair, priority: "high" },
      { content: "Publish the release", status: publish, priority: "medium" },
    ],
  },
});

/**
 * The demo: repairs `failingTestRepository`, runs its test, and asks the control plane to run an action, which
 * blocks the shell until somebody approves it.
 */
export const fixTheFailingTest: ScenarioInput = {
  name: "fix-the-failing-test",
  select: { by: "contains", anyOf: ["failing test", "fix-the-failing-test"] },
  steps: [
    {
      kind: "answer",
      thinking: "A test fails. I should see what the code does before I change it.",
      text: "Let me look at the code first.",
      toolCalls: [
        todosWhen("in_progress", "pending"),
        { name: "read", input: { filePath: "{{workingDirectory}}/sum.mjs" } },
      ],
    },
    {
      kind: "answer",
      text: "`sum` subtracts where it should add. I will correct that.",
      toolCalls: [
        {
          name: "edit",
          input: {
            filePath: "{{workingDirectory}}/sum.mjs",
            oldString: "a - b",
            newString: "a + b",
          },
        },
      ],
    },
    {
      kind: "answer",
      text: "Now I run the tests.",
      toolCalls: [
        todosWhen("completed", "in_progress"),
        { name: "bash", input: { command: "node --test" } },
      ],
    },
    {
      kind: "answer",
      text: "With the test run above, I ask to publish the release. This may need somebody's approval.",
      toolCalls: [
        {
          name: "bash",
          input: {
            command:
              'proliferate actions run --integration demo --action publish_release --params \'{"version":"1.0.0"}\'',
            // Longer than the five minutes that an approval in a live session may take.
            timeout: 360_000,
          },
        },
      ],
    },
    {
      kind: "answer",
      text: "The fix is one character in `sum.mjs`. I asked for the release, and this was the answer:\n\n{{lastToolResult}}",
    },
  ],
};
