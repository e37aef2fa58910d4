import { Argument, type Command } from "commander";
import { DomainError } from "#contracts/errors";
import type { InvocationId, OrganizationId } from "#contracts/ids";
import { findAggregate } from "#event-store/audit/state-at";
import { type CommandMeta, newCommandMeta } from "#event-store/command-meta";
import {
  openFullResults,
  prepareFullResults,
} from "../../actions/full-results/full-result-table.ts";
import { readFullResult, type ReadResult } from "../../actions/full-results/read.ts";
import { changePolicy } from "../../policy/commands.ts";
import { type CliContext, type Servers, withLog, withLogAndDatabase } from "../context.ts";
import { idArgument } from "../id-argument.ts";
import { requireKnownOrganization } from "../known-organization.ts";
import { byOption, operator } from "../operator.ts";
import { printable } from "../output/printable.ts";
import { jsonHelp, organizationArgument } from "./audit/options.ts";

interface ResultOptions {
  readonly organization?: string;
  readonly by: string;
  readonly json?: true;
}

/** `actions result|keep-results`: what actions have answered, beyond what the log holds of it. */
export const addActionCommands = (program: Command, context: CliContext): void => {
  const actions = program.command("actions").description("what agents' actions have answered");
  actions
    .command("result")
    .description("an invocation's full result, while it is kept; the reading is recorded")
    .argument("<invocation>", "its id, inv_…", idArgument("invocation", "an invocation"))
    .option("--organization <id>", "where to look for it, to find it sooner", organizationArgument)
    .option(...byOption)
    .option("--json", jsonHelp)
    .action((id: InvocationId, options: ResultOptions) =>
      withLogAndDatabase(context, async (servers) => {
        const read = await readResult(servers, id, options);
        const lines =
          options.json === true
            ? [JSON.stringify({ invocation: id, ...read })]
            : JSON.stringify(read.result, null, 2).split("\n").map(printable);
        lines.forEach(context.print);
      }),
    );
  actions
    .command("keep-results")
    .description("whether results that are too long for the log are kept whole for seven days")
    .argument("<organization>", "its id, org_…", organizationArgument)
    .addArgument(new Argument("<wish>").choices(["on", "off"]))
    .option(...byOption)
    .action((organization: string, wish: "on" | "off", { by }: { by: string }) =>
      withLog(context, async (store) => {
        const command = { type: "SetFullResultKeeping", keep: wish === "on" } as const;
        const known = await requireKnownOrganization(store, organization);
        await changePolicy(store, known, command, metaOf(by));
        context.print(wishes[wish]);
      }),
    );
};

const wishes = {
  on: "Full results are kept from now on.",
  off: "No more full results are kept; those that are stay until their time is over.",
};

const metaOf = (by: string): CommandMeta => newCommandMeta({ actor: operator(by) });

const readResult = async (
  { store, sql, vault }: Servers,
  id: InvocationId,
  { organization, by }: ResultOptions,
): Promise<ReadResult> => {
  if (vault === null) {
    throw new DomainError("prerequisite_missing", "SECRETS_KEY is needed to open full results.");
  }
  await prepareFullResults(sql);
  const found = await findAggregate(store, { type: "invocation", id }, organization);
  const fullResults = openFullResults({ sql, keys: vault });
  const request = { organization: found.organization as OrganizationId, id, sessionId: null, by };
  return readFullResult({ store, fullResults, clock: () => new Date() }, request, metaOf(by));
};
