import type { Command } from "commander";
import { newId } from "#contracts/ids";
import { compareSchemas } from "#projections/compare-schemas";
import { openDatabase } from "#projections/database";
import { readModels } from "#projections/read-models";
import { replayInto } from "#projections/replay";
import { rebuildReadModels } from "#projections/runtime/rebuild";
import { readProjectionStatus } from "#projections/status";
import { type CliContext, withLogAndDatabase } from "../context.ts";
import { describeProjections, describeRebuild } from "./projections-table.ts";

/** `projections list|rebuild|verify`: how far the read models have come, and whether they say what the log says. */
export const addProjectionCommands = (program: Command, context: CliContext): void => {
  const projections = program.command("projections").description("the read models");
  projections
    .command("list")
    .description("how far they have come in each shard of the log, and what stops them")
    .option("--json", "the same for machines")
    .action(({ json }: { json?: true }) =>
      withLogAndDatabase(context, async ({ store, sql }) => {
        const status = await readProjectionStatus(store, sql);
        if (json) context.print(JSON.stringify(status));
        else for (const line of describeProjections(status)) context.print(line);
        if (status.shards.some(({ state }) => state === "halted")) process.exitCode = 1;
      }),
    );
  projections
    .command("rebuild")
    .description("build them anew while they serve; one that was cut off goes on where it stood")
    .option("--restart", "forget what an earlier one that was cut off has built")
    .action(({ restart = false }: { restart?: boolean }) =>
      withLogAndDatabase(context, async ({ store, databaseUrl }) => {
        let told = "";
        await rebuildReadModels({
          store,
          openSql: (schema) =>
            openDatabase({ url: databaseUrl, maxConnections: 1, ...(schema && { schema }) }),
          projections: readModels,
          signal: new AbortController().signal,
          restart,
          progressed: ({ checkpoints, end, secondsLeft }) => {
            const commits = checkpoints.reduce((sum, checkpoint) => sum + checkpoint, 0);
            const line = describeRebuild({ commits, of: end, secondsLeft });
            if (line !== told) context.print(line);
            told = line;
          },
        });
        context.print("The new tables have taken the place of the old ones.");
      }),
    );
  projections
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
