/** Test support: the operator's commands in this process, on servers that are given. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { newId } from "#contracts/ids";
import type { ActionStack } from "../../actions/testing/action-stack.ts";
import { readConfig } from "../../config.ts";
import type { CliContext } from "../context.ts";

export type AddCommands = (program: Command, context: CliContext) => void;

/** Answers the lines that the command prints. Commander's refusals are thrown. */
export const runCommands = async (
  { natsUrl, databaseUrl, durability }: Pick<ActionStack, "natsUrl" | "databaseUrl" | "durability">,
  commands: readonly AddCommands[],
  { args, settings }: { args: readonly string[]; settings: Readonly<Record<string, string>> },
): Promise<readonly string[]> => {
  const servers = { NATS_URL: natsUrl, DATABASE_URL: databaseUrl, DURABILITY: durability };
  // Where nobody has left a key.
  const DATA_DIR = join(tmpdir(), newId("command"));
  const lines: string[] = [];
  const context: CliContext = {
    config: readConfig({ ...servers, DATA_DIR, ...settings }),
    print: (line) => void lines.push(line),
  };
  const program = new Command().configureOutput({ writeErr: () => undefined });
  program.exitOverride();
  for (const add of commands) add(program, context);
  await program.parseAsync(args, { from: "user" });
  return lines;
};
