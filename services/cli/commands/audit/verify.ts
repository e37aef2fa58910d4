import type { Command } from "commander";
import type { LogFault } from "#event-store/audit/fault";
import type { LogScope } from "#event-store/audit/scope";
import { type Verification, verifyLog } from "#event-store/audit/verify-log";
import { auditWitness } from "#projections/audit/witness";
import { type CliContext, withLog, withLogAndDatabase } from "../../context.ts";
import { counted } from "../../output/counted.ts";
import { printable } from "../../output/printable.ts";
import {
  aggregateArgument,
  aggregateHelp,
  jsonHelp,
  organizationArgument,
  organizationHelp,
} from "./options.ts";

interface VerifyOptions extends LogScope {
  readonly readModel: boolean;
  readonly json?: true;
}

/** `audit verify`: whether the history is whole. Exits with 1 if it is not. */
export const addVerifyCommand = (audit: Command, context: CliContext): void => {
  audit
    .command("verify")
    .description("check the history: each chain of hashes, gaps, and its end")
    .option("--aggregate <id>", aggregateHelp, aggregateArgument)
    .option("--organization <id>", organizationHelp, organizationArgument)
    .option("--no-read-model", "without the database: commits cut off the end are not noticed")
    .option("--json", `${jsonHelp}: a line for each fault, and a last one with the counts`)
    .action(async ({ readModel, json, ...scope }: VerifyOptions) => {
      const verification = readModel
        ? await withLogAndDatabase(context, ({ store, sql }) =>
            verifyLog(store, { scope, witness: auditWitness(sql) }),
          )
        : await withLog(context, (store) => verifyLog(store, { scope }));
      report(context, verification, json === true);
      if (!verification.ok) process.exitCode = 1;
    });
};

const report = ({ print }: CliContext, verification: Verification, json: boolean): void => {
  const { faults, ...counts } = verification;
  const { ok, commits, aggregates } = counts;
  if (json) {
    faults.forEach((fault) => print(JSON.stringify(fault)));
    print(JSON.stringify({ ...counts, faults: faults.length }));
    return;
  }
  for (const fault of faults) describe(fault).forEach((line) => print(printable(line)));
  const read = `${counted(commits, "commit")} of ${counted(aggregates, "aggregate")}`;
  print(ok ? `Verified ${read}.` : `${counted(faults.length, "fault")} in ${read}.`);
};

const describe = ({
  kind,
  position,
  aggregate,
  expected,
  named,
  explanation,
}: LogFault): readonly string[] => [
  `${position}  ${kind.replaceAll("_", " ")}${aggregate ? `  ${aggregate.organization} ${aggregate.aggregate} ${aggregate.id}` : ""}`,
  `  ${explanation}`,
  ...(expected === null ? [] : [`  expected ${expected}`]),
  ...(named === null ? [] : [`  named    ${named}`]),
];
