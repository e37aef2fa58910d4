import type { Command } from "commander";
import { type Causality, type Effect, findCommits, traceCauses } from "#event-store/audit/causes";
import type { StoredCommit } from "#event-store/audit/stored-commits";
import { type CliContext, withLog } from "../../context.ts";
import { printable } from "../../output/printable.ts";
import { type TreeNode, treeLines } from "../../output/tree.ts";
import { jsonHelp, organizationArgument } from "./options.ts";
import { actorText, aggregateText, eventsText, recordOf } from "./record.ts";

interface ShowOptions {
  readonly organization?: string;
  readonly json?: true;
}

/** `audit show`: one commit, what led to it and what it led to. */
export const addShowCommand = (audit: Command, context: CliContext): void => {
  audit
    .command("show")
    .description("a commit with its causes and effects")
    .argument("<name>", "a position, or the id of an event or command")
    .option("--organization <id>", "where to look for it, to find it sooner", organizationArgument)
    .option("--json", jsonHelp)
    .action((name: string, { organization, json }: ShowOptions) =>
      withLog(context, async (store) => {
        for (const stored of await findCommits(store, name, { organization })) {
          const causality = await traceCauses(store, stored);
          const lines =
            json === true ? [JSON.stringify(causalityRecord(causality))] : describe(causality);
          lines.forEach(context.print);
        }
      }),
    );
};

const causalityRecord = ({ stored, causes, effects }: Causality) => ({
  commit: recordOf(stored),
  causes: causes.map(recordOf),
  effects: effects.map(effectRecord),
});

const effectRecord = ({ stored, effects }: Effect): object => ({
  commit: recordOf(stored),
  effects: effects.map(effectRecord),
});

const describe = (causality: Causality): readonly string[] => {
  const { stored } = causality;
  const { meta, events } = stored.commit;
  const facts = {
    organization: stored.ref.organization,
    aggregate: aggregateText(stored),
    actor: actorText(meta.actor),
    decided: meta.at,
    stored: stored.storedAt.toISOString(),
    command: meta.commandId,
    cause: meta.causationId ?? "none",
    correlation: meta.correlationId,
    hash: stored.hash,
    "hash before": meta.prev,
  };
  return [
    `Commit ${stored.position}`,
    ...Object.entries(facts).map(([name, fact]) => `  ${name.padEnd(12)}  ${printable(fact)}`),
    "",
    ...events.flatMap(({ id, type, v, data }) => [
      printable(`${type} v${v}  ${id}`),
      ...JSON.stringify(data, null, 2)
        .split("\n")
        .map((line) => `  ${printable(line)}`),
    ]),
    "",
    ...treeLines(treeOf(causality)),
  ];
};

const line = (stored: StoredCommit): string =>
  `${stored.position}  ${aggregateText(stored)}  ${eventsText(stored)}  ${actorText(stored.commit.meta.actor)}`;

const effectNode = ({ stored, effects }: Effect): TreeNode => ({
  label: line(stored),
  children: effects.map(effectNode),
});

const treeOf = ({ causes, stored, effects }: Causality): TreeNode =>
  causes.reduceRight<TreeNode>((below, cause) => ({ label: line(cause), children: [below] }), {
    label: `${line(stored)}  ◀ this one`,
    children: effects.map(effectNode),
  });
