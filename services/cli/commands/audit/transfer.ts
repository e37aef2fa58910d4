import type { Command } from "commander";
import { exportHistory } from "#event-store/audit/export-history";
import { importHistory } from "#event-store/audit/import-history";
import { type CliContext, withLog } from "../../context.ts";
import { counted } from "../../output/counted.ts";
import { jsonHelp, organizationArgument } from "./options.ts";

interface ExportOptions {
  readonly organization: string;
  readonly out: string;
  readonly json?: true;
}

/** `audit export|import`: an organisation's history as a file. */
export const addTransferCommands = (audit: Command, context: CliContext): void => {
  audit
    .command("export")
    .description("write an organisation's history to a file; goes on where it was cut off")
    .requiredOption("--organization <id>", "whose history", organizationArgument)
    .requiredOption("--out <file>", "lines of JSON, which no other export writes at the same time")
    .option("--json", jsonHelp)
    .action(({ organization, out, json }: ExportOptions) =>
      withLog(context, async (store) => {
        const exported = await exportHistory(store, { organization, path: out });
        const { commits, found, through } = exported;
        context.print(
          json === true
            ? JSON.stringify({ organization, ...exported })
            : `Exported ${counted(commits, "commit")} up to ${through}; ${found} of them were in the file.`,
        );
      }),
    );
  audit
    .command("import")
    .description("append an exported history to a log that does not have it")
    .argument("<file>", "what `audit export` has written")
    .option("--json", jsonHelp)
    .action((file: string, { json }: { readonly json?: true }) =>
      withLog(context, async (store) => {
        const imported = await importHistory(store, file);
        const { organization, commits, found } = imported;
        context.print(
          json === true
            ? JSON.stringify(imported)
            : `Imported ${counted(commits, "commit")} of ${organization}; ${found} of them were in the log.`,
        );
      }),
    );
};
