import type { Command } from "commander";
import { newId } from "#contracts/ids";
import { compareSchemas } from "#projections/compare-schemas";
import { replayInto } from "#projections/replay";
import { type CliContext, withLogAndDatabase } from "../context.ts";

/** `projections verify`: whether the read models say what the log says. */
export const addProjectionCommands = (program: Command, context: CliContext): void => {
  program
    .command("projections")
    .description("the read models")
    .command("verify")
    .description("replay the log into a fresh schema and compare it with the live one")
    .action(() =>
      withLogAndDatabase(context, async ({ store, sql, databaseUrl }) => {
        const schema = `verify_${newId("command").slice(4).toLowerCase()}`;
        try {
          const { commits } = await replayInto({ store, databaseUrl, schema });
          const { identical, rows, differences } = await compareSchemas(sql, ["public", schema]);
          if (identical) {
            context.print(`Identical: ${rows} rows from ${commits} commits.`);
            return;
          }
          for (const { table, onlyInFirst, onlyInSecond } of differences) {
            context.print(`${table}: ${onlyInFirst} rows only live, ${onlyInSecond} only replayed`);
          }
          process.exitCode = 1;
        } finally {
          await sql`drop schema if exists ${sql(schema)} cascade`;
        }
      }),
    );
};
