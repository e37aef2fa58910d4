import type { Command } from "commander";
import type { CliContext } from "../../context.ts";
import { addDryRunCommand } from "./dry-run.ts";
import { addModeCommands } from "./modes.ts";
import { addRiskCommands } from "./risks.ts";
import { addRuleCommands } from "./rules.ts";

/** `policy modes|risks|rules|dry-run`: what owners and admins decide over HTTP, for operators. */
export const addPolicyCommands = (program: Command, context: CliContext): void => {
  const policy = program.command("policy").description("what an organisation's agents may do");
  addModeCommands(policy, context);
  addRiskCommands(policy, context);
  addRuleCommands(policy, context);
  addDryRunCommand(policy, context);
};
