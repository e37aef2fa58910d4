import { derivedId } from "#contracts/ids";
import { agentInstructions } from "#sandbox/instructions/instructions";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";

/** What the session's agent is told. The same for each boot, so that a server that runs may go on. */
export const instructionsOf = ({
  kind,
  repositories,
  origin,
  systemPrompt,
}: ExistingSession): string =>
  agentInstructions({
    kind,
    repositories,
    run:
      origin.kind === "automation"
        ? {
            runId: origin.runId,
            // One run is completed once, however often its agent begins anew.
            completionId: derivedId("command", origin.runId, "completion"),
          }
        : null,
    systemPrompt,
  });
