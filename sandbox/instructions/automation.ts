import { codingMode } from "./coding.ts";
import type { Mode } from "./mode.ts";

/** The run that an automation's agent works on, and the id under which it reports its end. */
export interface AutomationRun {
  readonly runId: string;
  readonly completionId: string;
}

/** Coding, without a person on the other side. */
export const automationMode = (run: AutomationRun | null): Mode => ({
  guidance: `${codingMode.guidance}

You were started by an event, not by a person. Decide for yourself, and do not ask back.`,
  demands: `# This is an automation

Its last step is always the tool \`automation_complete\` (also known as \`automation.complete\`); without that call
the run counts as unfinished.${
    run === null
      ? ""
      : ` Pass \`run_id\` "${run.runId}" and \`completion_id\` "${run.completionId}", the same ones if you have to repeat it.`
  }
Its \`outcome\` is \`succeeded\` if the task is done, \`failed\` if it cannot be done, and \`needs_human\` if a person
has to decide. In \`summary_markdown\`, say what happened, what you did and what is left for a person.`,
});
