import type { Command } from "commander";
import type { LogPoint } from "#event-store/audit/log-point";
import type { AggregateSelector } from "#event-store/audit/scope";
import { findAggregate, type StateAt, stateAt } from "#event-store/audit/state-at";
import { aggregateFolds } from "../../../aggregates.ts";
import { type CliContext, withLog } from "../../context.ts";
import { counted } from "../../output/counted.ts";
import { type JsonDifference, jsonDifferences } from "../../output/json-difference.ts";
import { printable } from "../../output/printable.ts";
import {
  aggregateArgument,
  aggregateHelp,
  jsonHelp,
  organizationArgument,
  pointArgument,
} from "./options.ts";

interface StateOptions {
  readonly at?: LogPoint;
  readonly diff?: LogPoint;
  readonly organization?: string;
  readonly json?: true;
}

/** `audit state`: what an aggregate was at some moment, or how it changed between two. */
export const addStateCommand = (audit: Command, context: CliContext): void => {
  audit
    .command("state")
    .description("the state of an aggregate at some moment")
    .argument("<aggregate>", aggregateHelp, aggregateArgument)
    .option("--at <moment>", "a position, or a time of storage; now without it", pointArgument)
    .option("--diff <moment>", "what changed from then to this moment", pointArgument)
    .option("--organization <id>", "whose aggregate it is", organizationArgument)
    .option("--json", jsonHelp)
    .action((selector: AggregateSelector, { at, diff, organization, json }: StateOptions) =>
      withLog(context, async (store) => {
        const ref = await findAggregate(store, selector, organization);
        const then = await stateAt(store, aggregateFolds, { ref, point: at ?? null });
        if (diff === undefined) {
          show(context, then, json === true);
          return;
        }
        const later = await stateAt(store, aggregateFolds, { ref, point: diff });
        showDifferences(context, [then, later], json === true);
      }),
    );
};

const momentOf = ({ commits, last }: StateAt) => ({
  commits,
  position: last?.position ?? null,
  storedAt: last?.storedAt.toISOString() ?? null,
});

const describe = ({ commits, last }: StateAt): string =>
  last === null
    ? "before its first commit"
    : `after ${counted(commits, "commit")}, the last at ${last.position}, stored ${last.storedAt.toISOString()}`;

const show = ({ print }: CliContext, then: StateAt, json: boolean): void => {
  if (json) {
    print(JSON.stringify({ ...then.ref, ...momentOf(then), state: then.state }));
    return;
  }
  print(`The ${then.ref.aggregate} ${then.ref.id} ${describe(then)}:`);
  JSON.stringify(then.state, null, 2)
    .split("\n")
    .forEach((line) => print(printable(line)));
};

const showDifferences = (
  { print }: CliContext,
  [from, to]: readonly [StateAt, StateAt],
  json: boolean,
): void => {
  const differences = jsonDifferences(from.state, to.state);
  if (json) {
    print(JSON.stringify({ ...from.ref, from: momentOf(from), to: momentOf(to), differences }));
    return;
  }
  print(`The ${from.ref.aggregate} ${from.ref.id}`);
  print(`  from ${describe(from)}`);
  print(`  to ${describe(to)}:`);
  if (differences.length === 0) print("Nothing changed.");
  for (const difference of differences) print(printable(differenceText(difference)));
};

const differenceText = ({ path, kind, before, after }: JsonDifference): string => {
  const place = path === "" ? "(all)" : path;
  switch (kind) {
    case "added":
      return `+ ${place}: ${JSON.stringify(after)}`;
    case "removed":
      return `- ${place}: ${JSON.stringify(before)}`;
    case "changed":
      return `~ ${place}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
  }
};
