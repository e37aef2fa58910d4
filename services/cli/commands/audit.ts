import type { Command } from "commander";
import { readAll } from "#event-store/read-all";
import { verifyChain } from "#event-store/verify-chain";
import { type CliContext, withLog } from "../context.ts";

/** `audit log|verify`: what happened, and whether the history is whole. */
export const addAuditCommands = (program: Command, context: CliContext): void => {
  const audit = program.command("audit").description("the history");
  audit
    .command("log")
    .description("one line of JSON for each commit, oldest first")
    .option("--aggregate <id>", "only the commits of this session, invocation, trigger, …")
    .action(({ aggregate }: { aggregate?: string }) =>
      withLog(context, async (store) => {
        for await (const { position, ref, commit } of readAll(store)) {
          if (aggregate === undefined || ref.id === aggregate) {
            context.print(JSON.stringify({ position, ...ref, ...commit }));
          }
        }
      }),
    );
  audit
    .command("verify")
    .description("check the hash chain of every aggregate")
    .action(() =>
      withLog(context, async (store) => {
        const verdict = await verifyChain(readAll(store));
        if (verdict.ok) {
          context.print(`Verified ${verdict.commits} commits of ${verdict.aggregates} aggregates.`);
          return;
        }
        context.print(
          `The chain of ${verdict.aggregate} is broken at ${verdict.position}: the commit names ` +
            `${verdict.named} as its predecessor, which is ${verdict.expected}.`,
        );
        process.exitCode = 1;
      }),
    );
};
