import type { Command } from "commander";
import type { TriggerId } from "#contracts/ids";
import type { ActionMode } from "#contracts/policy/mode";
import type { PolicyView } from "#contracts/policy/view";
import {
  clearActionMode,
  setActionMode,
  setAutomationMode,
} from "../../../policy/policy-changes.ts";
import type { CliContext } from "../../context.ts";
import { byOption } from "../../operator.ts";
import { printable } from "../../output/printable.ts";
import { addListCommand } from "./add-list-command.ts";
import { withPolicy } from "./with-policy.ts";
import {
  actionText,
  authorColumn,
  automationOption,
  modeArgument,
  nameArgument,
  organizationText,
  timeColumn,
  unreviewedText,
} from "./words.ts";

interface ChangeOptions {
  readonly by: string;
  readonly automation?: TriggerId;
}

/** `policy modes list|set|clear`. */
export const addModeCommands = (policy: Command, context: CliContext): void => {
  const modes = policy.command("modes").description("what happens to single actions");
  addListCommand(modes, context, {
    description: "those that somebody has set; the others follow from the risk",
    rowsOf,
    columns,
    none: "No mode is set.",
  });
  modes
    .command("set")
    .description("what happens to an action from now on, where no rule says otherwise")
    .argument(...organizationText)
    .argument("<integration>", "its id, for example slack", nameArgument)
    .argument("<action>", "for example send_message", nameArgument)
    .addArgument(modeArgument())
    .option(...automationOption)
    .option(...byOption)
    .action(
      // What Commander hands over is what the arguments above have made of it.
      (
        organization: string,
        ...[integration, action, mode, { by, automation }]: [
          string,
          string,
          ActionMode,
          ChangeOptions,
        ]
      ) =>
        withPolicy(context, organization, async ({ deps, changing }) => {
          const set = { integration, action, mode };
          const { reviewed } =
            automation === undefined
              ? await setActionMode(deps, changing(by), set)
              : await setAutomationMode(deps, changing(by), { ...set, triggerId: automation });
          context.print(printable(`${actionText(set)}: ${mode}.`));
          const warning = unreviewedText(set, reviewed);
          if (warning !== null) context.print(printable(warning));
        }),
    );
  modes
    .command("clear")
    .description("takes a mode back, as if nobody had ever set it")
    .argument(...organizationText)
    .argument("<integration>", "its id", nameArgument)
    .argument("<action>", "its name", nameArgument)
    .option(...automationOption)
    .option(...byOption)
    .action(
      (
        organization: string,
        ...[integration, action, { by, automation }]: [string, string, ChangeOptions]
      ) =>
        withPolicy(context, organization, async ({ deps, changing }) => {
          const named = { integration, action };
          if (automation === undefined) await clearActionMode(deps, changing(by), named);
          else {
            const followed = { ...named, triggerId: automation, mode: null };
            await setAutomationMode(deps, changing(by), followed);
          }
          context.print(printable(`${actionText(named)} has no mode of its own.`));
        }),
    );
};

type ModeRow = PolicyView["modes"][number] & { readonly triggerId: TriggerId | null };

const rowsOf = ({ modes, automationModes }: PolicyView): readonly ModeRow[] => [
  ...modes.map((mode) => ({ ...mode, triggerId: null })),
  ...automationModes,
];

const columns = [
  { title: "mode", width: 16, text: ({ mode }: ModeRow) => mode },
  authorColumn,
  timeColumn,
  { title: "automation", width: 30, text: ({ triggerId }: ModeRow) => triggerId ?? "-" },
  { title: "action", width: 0, text: (row: ModeRow) => actionText(row) },
];
