import { type Command, Option } from "commander";
import { newId, type RuleId, type SessionId, type TriggerId } from "#contracts/ids";
import { type ActionMode, actionModeSchema } from "#contracts/policy/mode";
import { anyName, type Condition, policyRuleSchema, type RuleScope } from "#contracts/policy/rules";
import type { RuleView } from "#contracts/policy/view";
import { removeRule, setRule } from "../../../policy/policy-changes.ts";
import type { CliContext } from "../../context.ts";
import { idArgument } from "../../id-argument.ts";
import { byOption } from "../../operator.ts";
import { printable } from "../../output/printable.ts";
import { schemaArgument } from "../../schema-argument.ts";
import { conditionText, readCondition } from "./conditions.ts";
import { addListCommand } from "./add-list-command.ts";
import { withPolicy } from "./with-policy.ts";
import {
  actionText,
  authorColumn,
  automationOption,
  nameArgument,
  organizationText,
  timeColumn,
  unreviewedText,
} from "./words.ts";

interface AddOptions {
  readonly integration: string;
  readonly action: string;
  readonly mode: ActionMode;
  readonly when: readonly Condition[];
  readonly session?: SessionId;
  readonly automation?: TriggerId;
  readonly expires?: string | null;
  readonly budget?: number | null;
  readonly note: string;
  readonly by: string;
}

/** `policy rules list|add|remove`. */
export const addRuleCommands = (policy: Command, context: CliContext): void => {
  const rules = policy.command("rules").description("what goes before modes and risks");
  addListCommand(rules, context, {
    description: "in the order in which they were set",
    rowsOf: (policy) => policy.rules,
    columns,
    none: "There are no rules.",
  });
  addAddCommand(rules, context);
  rules
    .command("remove")
    .description("takes a rule back")
    .argument(...organizationText)
    .argument("<rule>", "its id, as in the list", idArgument("rule", "a rule"))
    .option(...byOption)
    .action((organization: string, ruleId: RuleId, { by }: { by: string }) =>
      withPolicy(context, organization, async ({ deps, changing }) => {
        await removeRule(deps, changing(by), ruleId);
        context.print("Removed.");
      }),
    );
};

const addAddCommand = (rules: Command, context: CliContext): void => {
  const { expiresAt, budget, note } = policyRuleSchema.shape;
  rules
    .command("add")
    .description("prints the new rule's id")
    .argument(...organizationText)
    .requiredOption("--integration <id>", "whose actions, * for any", nameArgument)
    .option("--action <name>", "which of them, * for any", nameArgument, anyName)
    .addOption(
      new Option("--mode <mode>", "what happens")
        .choices(actionModeSchema.options)
        .makeOptionMandatory(),
    )
    .option(
      "--when <condition>",
      'what a parameter has to be, such as {"op":"in","path":"channel","values":["#a"]}; may be repeated',
      readCondition,
      [],
    )
    .addOption(
      new Option("--session <session>", "in this session only, ses_…")
        .argParser(idArgument("session", "a session"))
        .conflicts("automation"),
    )
    .option(...automationOption)
    .option(
      "--expires <instant>",
      "when it ends",
      schemaArgument(expiresAt, "an instant such as 2026-12-31T00:00:00Z"),
    )
    .option("--budget <calls>", "how many calls it allows in all", (text) =>
      schemaArgument(budget, "a number from 1 to 1000")(Number(text)),
    )
    .option("--note <text>", "why it is there", schemaArgument(note, "500 characters at most"), "")
    .option(...byOption)
    .action((organization: string, options: AddOptions) =>
      withPolicy(context, organization, async ({ deps, changing }) => {
        const { integration, action, mode, when, expires = null, budget = null } = options;
        const ruleId = newId("rule");
        const rule = {
          ...{ integration, action, mode, scope: scopeOf(options), conditions: [...when] },
          ...{ expiresAt: expires, budget, note: options.note },
        };
        const { reviewed } = await setRule(deps, changing(options.by), { ruleId, rule });
        context.print(ruleId);
        const warning = unreviewedText(rule, reviewed);
        if (warning !== null) context.print(printable(warning));
      }),
    );
};

const scopeOf = ({ session, automation }: AddOptions): RuleScope => {
  if (session !== undefined) return { kind: "session", sessionId: session };
  if (automation !== undefined) return { kind: "automation", triggerId: automation };
  return { kind: "organization" };
};

const scopeText = (scope: RuleScope): string => {
  if (scope.kind === "session") return scope.sessionId;
  return scope.kind === "automation" ? scope.triggerId : "organisation";
};

const columns = [
  { title: "rule", width: 30, text: ({ id }: RuleView) => id },
  { title: "mode", width: 16, text: ({ mode }: RuleView) => mode },
  { title: "where", width: 30, text: ({ scope }: RuleView) => scopeText(scope) },
  authorColumn,
  timeColumn,
  { title: "until", width: 24, text: ({ expiresAt }: RuleView) => expiresAt ?? "-" },
  {
    title: "calls",
    width: 9,
    text: ({ spent, budget }: RuleView) => (budget === null ? "-" : `${spent ?? 0}/${budget}`),
  },
  {
    title: "action",
    width: 0,
    text: ({ conditions, note, ...named }: RuleView) =>
      [
        actionText(named),
        ...conditions.map((condition) => `if ${conditionText(condition)}`),
        ...(note === "" ? [] : [`(${note})`]),
      ].join(" "),
  },
];
