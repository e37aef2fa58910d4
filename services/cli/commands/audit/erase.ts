import type { Command } from "commander";
import { DomainError } from "#contracts/errors";
import type { OrganizationId, SessionId } from "#contracts/ids";
import { findAggregate } from "#event-store/audit/state-at";
import type { EventStore } from "#event-store/event-store";
import { type Erasure, type ErasureStep, eraseText } from "../../../erasure/erase-text.ts";
import type { ErasureTarget } from "../../../erasure/text-holders.ts";
import { prepareDataKeys } from "../../../secrets/data-keys.ts";
import { confirm } from "../../confirm.ts";
import { type CliContext, withLogAndDatabase } from "../../context.ts";
import { idArgument } from "../../id-argument.ts";
import { requireKnownOrganization } from "../../known-organization.ts";
import { byOption, operator } from "../../operator.ts";
import { counted } from "../../output/counted.ts";
import { jsonHelp, organizationArgument } from "./options.ts";

interface EraseOptions {
  readonly session?: SessionId;
  readonly organization?: string;
  readonly by: string;
  readonly yes?: true;
  readonly json?: true;
}

/** `audit erase`: makes text unreadable for ever, and leaves the history whole. */
export const addEraseCommand = (audit: Command, context: CliContext): void => {
  audit
    .command("erase")
    .description("erase the text of a session, or of a whole organisation, by erasing its key")
    .option(
      "--session <id>",
      "this session's text; the session is stopped",
      idArgument("session", "a session"),
    )
    .option("--organization <id>", "all text of this organisation", organizationArgument)
    .option(...byOption)
    .option("--yes", "without asking")
    .option("--json", jsonHelp)
    .action((options: EraseOptions) =>
      withLogAndDatabase(context, async ({ store, sql, vault }) => {
        const target = await targetOf(store, options);
        if (vault === null) {
          throw new DomainError("prerequisite_missing", "SECRETS_KEY is needed to erase keys.");
        }
        if (options.yes !== true && !(await confirm(questionOf(target)))) {
          throw new DomainError("request_malformed", "Nothing was erased.");
        }
        await prepareDataKeys(sql);
        const say = (step: ErasureStep): void => {
          if (options.json !== true) context.print(steps[step]);
        };
        const deps = { store, vault, onStep: say };
        const erasure = await eraseText(deps, target, operator(options.by));
        if (options.json === true) context.print(JSON.stringify({ ...target, ...erasure }));
        else describe(erasure).forEach(context.print);
      }),
    );
};

/** A session's organisation is found if it is not named. */
const targetOf = async (
  store: EventStore,
  { session, organization }: EraseOptions,
): Promise<ErasureTarget> => {
  if (session === undefined) {
    if (organization === undefined) {
      throw new DomainError("request_malformed", "Say --session or --organization.");
    }
    return { organization: await requireKnownOrganization(store, organization), session: null };
  }
  const found = await findAggregate(store, { type: "session", id: session }, organization);
  return { organization: found.organization as OrganizationId, session };
};

const questionOf = ({ organization, session }: ErasureTarget): string =>
  session === null
    ? `All text of ${organization} will be unreadable for ever, and its sessions are stopped.`
    : `The text of ${session} (of ${organization}) will be unreadable for ever, and it is stopped.`;

const steps: Readonly<Record<ErasureStep, string>> = {
  stop: "Stopping what still works on the text …",
  erase_key: "Erasing the key …",
  wait: "Waiting until nobody remembers the key …",
  mark: "Telling the read models …",
  remove_copies: "Removing copies …",
};

const describe = ({ key, sessions, aggregates, unsealedEvents }: Erasure): readonly string[] => [
  `Erased the text of ${counted(sessions, "session")}, ${counted(aggregates, "aggregate")} in all; ` +
    `the key was erased at ${key.at.toISOString()} by ${key.by}.`,
  ...(unsealedEvents === 0
    ? []
    : [
        `The log still holds the text of ${counted(unsealedEvents, "event")} that an older version has ` +
          "written in the open: the read models show it no more, but it cannot be erased there.",
      ]),
];
