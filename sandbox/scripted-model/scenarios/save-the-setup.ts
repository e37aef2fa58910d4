import type { ScenarioInput } from "../scenario.ts";

/** What a setup session ends with: the services are recorded, and the sandbox is kept. */
export const saveTheSetup: ScenarioInput = {
  name: "save-the-setup",
  select: { by: "contains", anyOf: ["save the setup", "save-the-setup"] },
  steps: [
    {
      kind: "answer",
      text: "Everything runs. I record how the service is started.",
      toolCalls: [
        {
          name: "save_service_commands",
          input: { commands: [{ name: "web", command: "node server.mjs" }] },
        },
      ],
    },
    {
      kind: "answer",
      text: "Now I keep the sandbox as it is.",
      toolCalls: [{ name: "save_snapshot", input: { message: "The web server runs." } }],
    },
    {
      kind: "answer",
      text: 'The control plane answered: {{lastToolResult}} Please have a look, and press "Done — Save Snapshot".',
    },
  ],
};
