import type { Command } from "commander";
import type { PolicyView } from "#contracts/policy/view";
import type { CliContext } from "../../context.ts";
import { type Column, tablePrinter } from "../../output/table.ts";
import { withPolicy } from "./with-policy.ts";
import { organizationText } from "./words.ts";

interface Listing<Row> {
  readonly description: string;
  readonly rowsOf: (policy: PolicyView) => readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What is said where there is nothing. */
  readonly none: string;
}

/** Adds `list`, which shows a part of an organisation's policy as a table, or as JSON for machines. */
export const addListCommand = <Row>(
  group: Command,
  context: CliContext,
  { description, rowsOf, columns, none }: Listing<Row>,
): void => {
  const { print } = context;
  group
    .command("list")
    .description(description)
    .argument(...organizationText)
    .option("--json", "the same for machines, one in each line")
    .action((organization: string, { json }: { json?: true }) =>
      withPolicy(context, organization, async ({ view }) => {
        const rows = rowsOf(await view());
        if (json === true) rows.forEach((row) => print(JSON.stringify(row)));
        else if (rows.length === 0) print(none);
        else rows.forEach(tablePrinter(print, columns));
      }),
    );
};
