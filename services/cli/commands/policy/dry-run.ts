import { type Command, InvalidArgumentError } from "commander";
import { z } from "zod";
import type { SessionId } from "#contracts/ids";
import type { DryRun } from "#contracts/policy/view";
import { askPolicy, spentRules } from "../../../policy/deciding/ask-policy.ts";
import { dryRun } from "../../../policy/deciding/dry-run.ts";
import type { CliContext } from "../../context.ts";
import { idArgument } from "../../id-argument.ts";
import { printable } from "../../output/printable.ts";
import { tablePrinter } from "../../output/table.ts";
import { jsonHelp } from "../audit/options.ts";
import { jsonOf } from "./conditions.ts";
import { withPolicy } from "./with-policy.ts";
import { nameArgument, organizationText } from "./words.ts";

interface DryRunOptions {
  readonly params: Record<string, unknown>;
  readonly session?: SessionId;
  readonly json?: true;
}

/** `policy dry-run`: what would happen to an action, and which rule decides. */
export const addDryRunCommand = (policy: Command, context: CliContext): void => {
  policy
    .command("dry-run")
    .description("what would happen to an action, and why; nothing is done, recorded or spent")
    .argument(...organizationText)
    .argument("<integration>", "its id, for example slack", nameArgument)
    .argument("<action>", "for example send_message", nameArgument)
    .option("--params <json>", "its parameters", readParams, {})
    .option(
      "--session <session>",
      "whose rules count as well, ses_…",
      idArgument("session", "a session"),
    )
    .option("--json", jsonHelp)
    .action((named: string, ...[integration, action, options]: [string, string, DryRunOptions]) =>
      withPolicy(context, named, async ({ deps, organization }) => {
        const { params, session: sessionId = null } = options;
        const question = { organization, sessionId, integration, action, params };
        const { policy, asked } = await askPolicy(deps, question);
        const spent = await spentRules(deps.budgets, organization, policy, asked);
        const found = dryRun(policy, asked, spent);
        if (options.json === true) context.print(JSON.stringify(found));
        else printDryRun(context.print, found);
      }),
    );
};

const printDryRun = (print: (line: string) => void, { mode, because, rules }: DryRun): void => {
  print(printable(`${mode}: ${because}`));
  rules.forEach(
    tablePrinter(print, [
      { title: "rule", width: 30, text: ({ ruleId }: DryRun["rules"][number]) => ruleId },
      { title: "finding", width: 0, text: ({ finding }: DryRun["rules"][number]) => finding },
    ]),
  );
};

const readParams = (text: string): Record<string, unknown> => {
  const params = z.record(z.string(), z.unknown()).safeParse(jsonOf(text));
  if (!params.success) throw new InvalidArgumentError("It has to be a JSON object.");
  return params.data;
};
