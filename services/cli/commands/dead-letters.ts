import type { Command } from "commander";
import { listDeadLetters } from "#event-store/dead-letters";
import { type CliContext, withLog } from "../context.ts";

/** `dead list`: what workers have given up. */
export const addDeadLetterCommands = (program: Command, context: CliContext): void => {
  program
    .command("dead")
    .description("messages that a worker has given up")
    .command("list")
    .description("one line of JSON for each, oldest first")
    .action(() =>
      withLog(context, async (store) => {
        for await (const letter of listDeadLetters(store)) {
          context.print(JSON.stringify(letter));
        }
      }),
    );
};
