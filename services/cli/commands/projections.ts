import type { Command } from "commander";
import { DomainError } from "#contracts/errors";
import { newId } from "#contracts/ids";
import type { Log } from "#event-store/log";
import { compareSchemas } from "#projections/compare-schemas";
import { openDatabase } from "#projections/database";
import { readModels } from "#projections/read-models";
import { replayInto } from "#projections/replay";
import type { Projection } from "#projections/runtime/projection";
import { rebuildReadModels, type RebuildProgress } from "#projections/runtime/rebuild";
import { readProjectionStatus, type StatusReport } from "#projections/status";
import { type CliContext, withLogAndDatabase } from "../context.ts";
import { describeBuild, describeProjections } from "./projections-table.ts";

/** `projections list|rebuild|verify`: how far the read models have come, and whether they say what the log says. */
export const addProjectionCommands = (program: Command, context: CliContext): void => {
  const projections = program.command("projections").description("the read models");
  projections
    .command("list")
    .description("how far each has come in each shard of the log, and what stops it")
    .option("--json", "the same for machines")
    .action(({ json }: { json?: true }) =>
      withLogAndDatabase(context, async ({ store, sql }) => {
        const status = await readProjectionStatus(store, sql);
        if (json) context.print(JSON.stringify(status));
        else for (const line of describeProjections(status)) context.print(line);
        if (hasHalted(status)) process.exitCode = 1;
      }),
    );
  projections
    .command("rebuild")
    .description(
      "build them anew while they serve; a build that was cut off goes on where it stood",
    )
    .argument("[name...]", "the read models; all without any")
    .option("--restart", "forget what an earlier build that was cut off has left")
    .action((names: string[], { restart = false }: { restart?: boolean }) =>
      withLogAndDatabase(context, async ({ store, databaseUrl }) => {
        await rebuildReadModels({
          store,
          openSql: (schema) =>
            openDatabase({ url: databaseUrl, maxConnections: 1, ...(schema && { schema }) }),
          projections: named(names),
          log: printing(context),
          signal: new AbortController().signal,
          restart,
          progressed: printProgress(context),
          swapped: ({ name }) =>
            context.print(`${name}: the new tables have taken the place of the old ones`),
        });
      }),
    );
  projections
    .command("verify")
    .description("replay the log into a fresh schema and compare it with the live one")
    .argument("[name...]", "the read models; all without any")
    .action((names: string[]) =>
      withLogAndDatabase(context, async ({ store, sql, databaseUrl }) => {
        const schema = `verify_${newId("command").slice(4).toLowerCase()}`;
        const models = named(names);
        try {
          const { commits } = await replayInto({ store, databaseUrl, schema, projections: models });
          const { identical, rows, differences } = await compareSchemas(sql, ["public", schema], {
            projections: models,
          });
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

/** The read models of these names, or all. Throws `not_found`. */
const named = (names: readonly string[]): readonly Projection[] => {
  const known = readModels.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new DomainError(
      "not_found",
      `There is no read model ${unknown.join(", ")}; there are ${known.join(", ")}.`,
    );
  }
  return names.length === 0 ? readModels : readModels.filter(({ name }) => names.includes(name));
};

const hasHalted = ({ models }: StatusReport): boolean =>
  models
    .flatMap(({ shards, rebuild }) => [...shards, ...(rebuild?.shards ?? [])])
    .some(({ state }) => state === "halted");

const printing = ({ print }: CliContext): Log => ({
  info: (_fields, message) => print(message),
  warn: (_fields, message) => print(message),
  error: (_fields, message) => print(message),
});

/** Prints what has changed since it was told last. */
const printProgress = ({ print }: CliContext): ((progress: RebuildProgress) => void) => {
  let told = "";
  return ({ models, commits, end, secondsLeft }) => {
    const line = describeBuild({ models, commits, of: end, secondsLeft });
    if (line !== told) print(line);
    told = line;
  };
};
