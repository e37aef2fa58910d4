import type { Command } from "commander";
import type { RiskLevel } from "#contracts/policy/mode";
import type { PolicyView } from "#contracts/policy/view";
import { overrideRisk } from "../../../policy/policy-changes.ts";
import type { CliContext } from "../../context.ts";
import { byOption } from "../../operator.ts";
import { printable } from "../../output/printable.ts";
import { addListCommand } from "./add-list-command.ts";
import { withPolicy } from "./with-policy.ts";
import {
  actionText,
  authorColumn,
  nameArgument,
  organizationText,
  riskArgument,
  timeColumn,
} from "./words.ts";

interface ChangeOptions {
  readonly by: string;
  readonly action?: string;
}

const actionOption = ["--action <action>", "of one action only", nameArgument] as const;

/** `policy risks list|set|clear`. */
export const addRiskCommands = (policy: Command, context: CliContext): void => {
  const risks = policy.command("risks").description("how far integrations and actions reach");
  addListCommand(risks, context, {
    description: "what the organisation says of it; otherwise integrations are believed",
    rowsOf: (policy) => policy.risks,
    columns,
    none: "No risk is overridden.",
  });
  risks
    .command("set")
    .description("how far all actions of an integration reach, or one, whatever it says of itself")
    .argument(...organizationText)
    .argument("<integration>", "its id, for example slack", nameArgument)
    .addArgument(riskArgument())
    .option(...actionOption)
    .option(...byOption)
    .action(
      (organization: string, ...[integration, risk, options]: [string, RiskLevel, ChangeOptions]) =>
        change(context, organization, { integration, risk, ...options }),
    );
  risks
    .command("clear")
    .description("believes the integration again")
    .argument(...organizationText)
    .argument("<integration>", "its id", nameArgument)
    .option(...actionOption)
    .option(...byOption)
    .action((organization: string, integration: string, options: ChangeOptions) =>
      change(context, organization, { integration, risk: null, ...options }),
    );
};

const change = (
  context: CliContext,
  organization: string,
  {
    integration,
    action = null,
    risk,
    by,
  }: {
    readonly integration: string;
    readonly action?: string | null;
    readonly risk: RiskLevel | null;
    readonly by: string;
  },
): Promise<void> =>
  withPolicy(context, organization, async ({ deps, changing }) => {
    await overrideRisk(deps, changing(by), { integration, action, risk });
    const of = actionText({ integration, action });
    context.print(printable(`${of}: ${risk ?? "as the integration says"}.`));
  });

type RiskRow = PolicyView["risks"][number];

const columns = [
  { title: "risk", width: 8, text: ({ risk }: RiskRow) => risk },
  authorColumn,
  timeColumn,
  { title: "of", width: 0, text: (row: RiskRow) => actionText(row) },
];
