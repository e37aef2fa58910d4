/** `npm run cli`: what operators do with the log and the read models. */
import { Command } from "commander";
import { isDomainError } from "#contracts/errors";
import { readConfig } from "../config.ts";
import { addActionCommands } from "./commands/actions.ts";
import { addAuditCommands } from "./commands/audit/index.ts";
import { addConfigurationCommands } from "./commands/configurations.ts";
import { addDeadLetterCommands } from "./commands/dead-letters.ts";
import { addOrganizationCommands } from "./commands/organizations.ts";
import { addPolicyCommands } from "./commands/policy/index.ts";
import { addProjectionCommands } from "./commands/projections.ts";
import { addSandboxCommands } from "./commands/sandbox-snapshots.ts";
import { addServiceTokenCommands } from "./commands/service-tokens.ts";
import { addStreamCommands } from "./commands/streams.ts";

// Who reads what is printed may have seen enough, as `head` has after some lines.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  const context = {
    config: readConfig(process.env),
    print: (line: string) => {
      process.stdout.write(`${line}\n`);
    },
  };
  const program = new Command("proliferate").description("Operates the control plane.");
  addStreamCommands(program, context);
  addAuditCommands(program, context);
  addProjectionCommands(program, context);
  addDeadLetterCommands(program, context);
  addConfigurationCommands(program, context);
  addActionCommands(program, context);
  addPolicyCommands(program, context);
  addOrganizationCommands(program, context);
  addSandboxCommands(program, context);
  addServiceTokenCommands(program, context);
  await program.parseAsync();
} catch (error) {
  const text = isDomainError(error) ? error.message : error instanceof Error ? error.stack : error;
  process.stderr.write(`${String(text)}\n`);
  process.exitCode = 1;
}
