import type { Command } from "commander";
import type { CliContext } from "../../context.ts";
import { addEraseCommand } from "./erase.ts";
import { addLogCommand } from "./log.ts";
import { addShowCommand } from "./show.ts";
import { addStateCommand } from "./state.ts";
import { addTransferCommands } from "./transfer.ts";
import { addVerifyCommand } from "./verify.ts";

/** `audit …`: what happened, why, what was then, and whether the history is whole. */
export const addAuditCommands = (program: Command, context: CliContext): void => {
  const audit = program.command("audit").description("the history");
  addLogCommand(audit, context);
  addShowCommand(audit, context);
  addStateCommand(audit, context);
  addVerifyCommand(audit, context);
  addTransferCommands(audit, context);
  addEraseCommand(audit, context);
};
