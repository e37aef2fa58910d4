/** What the commands of `policy` take and say alike. */
import { Argument } from "commander";
import { agentIntegration } from "#contracts/policy/agent-tools";
import { type ActionMode, actionModeSchema, riskLevelSchema } from "#contracts/policy/mode";
import { anyName, policyRuleSchema } from "#contracts/policy/rules";
import type { AuthorView } from "#contracts/policy/view";
import { idArgument } from "../../id-argument.ts";
import { schemaArgument } from "../../schema-argument.ts";

export const organizationText = ["<organization>", "its id, org_…"] as const;

/** Of an integration or an action. */
export const nameArgument = schemaArgument(
  policyRuleSchema.shape.integration,
  "a name of 100 characters at most",
);
export const modeArgument = (): Argument =>
  new Argument("<mode>").choices(actionModeSchema.options);
export const riskArgument = (): Argument => new Argument("<risk>").choices(riskLevelSchema.options);

export const automationOption = [
  "--automation <trigger>",
  "in this automation's sessions only, trg_…",
  idArgument("trigger", "a trigger"),
] as const;

/** An action, or with null all of an integration. */
export const actionText = ({
  integration,
  action,
}: {
  readonly integration: string;
  readonly action: string | null;
}): string => (action === null ? integration : `${integration} / ${action}`);

/** Who has decided so, by name where the organisation has somebody of this id. */
export const authorColumn = {
  title: "set by",
  width: 20,
  text: ({ by, byName }: AuthorView) => byName ?? by ?? "-",
};
export const timeColumn = { title: "at", width: 24, text: ({ at }: AuthorView) => at ?? "-" };

/** Warns where an action was let run that nobody could look at; null where there is nothing to warn of. */
export const unreviewedText = (
  { integration, action, mode }: { integration: string; action: string; mode: ActionMode },
  reviewed: boolean,
): string | null =>
  mode !== "allow" ||
  reviewed ||
  action === anyName ||
  [anyName, agentIntegration].includes(integration)
    ? null
    : `"${integration}" has no "${action}" that the CLI could look at: should it change, nobody is asked again.`;
