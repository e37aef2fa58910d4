/** The instructions of an agent: where it is, how to work, what it can use, and what is demanded of it. Pure. */
import { assertNever } from "#contracts/assert-never";
import type { WorkspaceRepository } from "#contracts/repository";
import type { SessionKind } from "#contracts/session/kind";
import { automationMode, type AutomationRun } from "./automation.ts";
import { codingMode } from "./coding.ts";
import { actionsText, environmentText, servicesText } from "./command.ts";
import type { Mode } from "./mode.ts";
import { placeText } from "./place.ts";
import { setupMode } from "./setup.ts";

export interface InstructionsInput {
  readonly kind: SessionKind;
  readonly repositories: readonly WorkspaceRepository[];
  /** Only of automations; null if the session does not work on a run. */
  readonly run: AutomationRun | null;
  /** The session's own prompt, in place of the kind's guidance; null for that. */
  readonly systemPrompt: string | null;
}

/** What a session's own prompt cannot take away comes last, where it counts most. */
export const agentInstructions = (input: InstructionsInput): string => {
  const { guidance, demands } = modeOf(input);
  const parts = [
    placeText(input.repositories),
    input.systemPrompt ?? guidance,
    servicesText,
    environmentText,
    actionsText,
    ...(demands === null ? [] : [demands]),
  ];
  return `${parts.join("\n\n")}\n`;
};

const modeOf = ({ kind, run }: InstructionsInput): Mode => {
  switch (kind) {
    case "coding":
      return codingMode;
    case "setup":
      return setupMode;
    case "automation":
      return automationMode(run);
    default:
      return assertNever(kind);
  }
};
