import type { Command } from "commander";
import type { ConfigurationView } from "#contracts/configuration/view";
import { listConfigurations } from "#projections/configurations/queries";
import { type CliContext, withLogAndDatabase } from "../context.ts";
import { tablePrinter } from "../output/table.ts";

const pageSize = 200;

/** `configurations list`: what an organisation's sessions are made of. People change them over HTTP. */
export const addConfigurationCommands = (program: Command, context: CliContext): void => {
  const configurations = program.command("configurations").description("what sessions are made of");
  configurations
    .command("list")
    .description("the organisation's, newest first")
    .argument("<organization>", "its id, org_…")
    .option("--archived", "those that were archived as well")
    .option("--json", "the same for machines, one in each line")
    .action((organization: string, options: { archived?: true; json?: true }) =>
      withLogAndDatabase(context, async ({ sql }) => {
        const print = options.json
          ? (view: ConfigurationView) => context.print(JSON.stringify(view))
          : tablePrinter(context.print, columns);
        const wanted = { organization, limit: pageSize, archived: options.archived ?? false };
        let cursor: string | undefined;
        do {
          const page = await listConfigurations(sql, { ...wanted, cursor });
          for (const view of page.configurations) print(view);
          cursor = page.next ?? undefined;
        } while (cursor !== undefined);
      }),
    );
};

const columns = [
  { title: "configuration", width: 30, text: ({ id }: ConfigurationView) => id },
  { title: "setup", width: 8, text: ({ setup }: ConfigurationView) => setup.status },
  {
    title: "snapshot",
    width: 24,
    text: ({ snapshot }: ConfigurationView) => snapshot?.snapshotId ?? "-",
  },
  {
    title: "repositories",
    width: 12,
    text: ({ repositories }: ConfigurationView) => String(repositories.length),
  },
  { title: "name", width: 0, text: ({ name }: ConfigurationView) => name },
];
