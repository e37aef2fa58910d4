import type { Command } from "commander";
import { readHistory } from "#event-store/audit/history";
import type { LogScope } from "#event-store/audit/scope";
import type { StoredCommit } from "#event-store/audit/stored-commits";
import { type CliContext, withLog } from "../../context.ts";
import { type Column, tablePrinter } from "../../output/table.ts";
import {
  aggregateArgument,
  aggregateHelp,
  countArgument,
  jsonHelp,
  organizationArgument,
  organizationHelp,
  timeArgument,
} from "./options.ts";
import { actorText, aggregateText, eventsText, recordOf } from "./record.ts";

interface LogOptions extends LogScope {
  readonly actor?: string;
  readonly type?: readonly string[];
  readonly since?: Date;
  readonly until?: Date;
  readonly limit?: number;
  readonly follow?: true;
  readonly json?: true;
}

const columns: readonly Column<StoredCommit>[] = [
  { title: "STORED", width: 24, text: ({ storedAt }) => storedAt.toISOString() },
  { title: "POSITION", width: 9, text: ({ position }) => position },
  { title: "AGGREGATE", width: 41, text: aggregateText },
  { title: "EVENTS", width: 32, text: eventsText },
  { title: "ACTOR", width: 0, text: ({ commit }) => actorText(commit.meta.actor) },
];

/** `audit log`: what happened. */
export const addLogCommand = (audit: Command, context: CliContext): void => {
  audit
    .command("log")
    .description("what happened, oldest first")
    .option("--aggregate <id>", aggregateHelp, aggregateArgument)
    .option("--organization <id>", organizationHelp, organizationArgument)
    .option("--actor <actor>", "only what was done by usr_…, user, or user:usr_…")
    .option("--type <event...>", "only commits with an event of these types")
    .option(
      "--since <time>",
      "from this time of storage on: 2026-08-21T09:30:00Z, or 2h",
      timeArgument,
    )
    .option("--until <time>", "before this time of storage", timeArgument)
    .option("--limit <number>", "the newest so many", countArgument)
    .option("--follow", "and then what comes, until interrupted")
    .option("--json", `${jsonHelp}: a line for each commit`)
    .action(({ type, follow, json, ...query }: LogOptions) =>
      withLog(context, async (store) => {
        const show =
          json === true
            ? (stored: StoredCommit) => context.print(JSON.stringify(recordOf(stored)))
            : tablePrinter(context.print, columns);
        // Nothing aborts it: who follows ends the program.
        const following = follow === true ? { follow: new AbortController().signal } : {};
        const types = type === undefined ? {} : { types: type };
        for await (const stored of readHistory(store, { ...query, ...types, ...following })) {
          show(stored);
        }
      }),
    );
};
