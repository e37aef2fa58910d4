import { userInfo } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { DomainError } from "#contracts/errors";
import {
  findDeadLetter,
  listDeadLetters,
  type StoredDeadLetter,
} from "#event-store/workers/dead-letters";
import { dropDeadLetter } from "#event-store/workers/drop";
import type { EventStore } from "#event-store/event-store";
import { originalOf, requeueDeadLetter } from "#event-store/workers/requeue";
import { type CliContext, withLog } from "../context.ts";
import { awaitOutcome } from "../dead-letters/await-outcome.ts";
import { describeOriginal, renderLetter, renderList } from "../dead-letters/render.ts";

interface ListOptions {
  readonly worker?: string;
  readonly dropped?: true;
  readonly json?: true;
}

/** `dead list|show|requeue|drop`: what workers have given up, and what is to become of it. */
export const addDeadLetterCommands = (program: Command, context: CliContext): void => {
  const dead = program.command("dead").description("messages that a worker has given up");
  dead
    .command("list")
    .description("the letters, oldest first")
    .option("--worker <name>", "only those of this worker")
    .option("--dropped", "also those that an operator has dropped")
    .option("--json", "one line of JSON for each")
    .action((options: ListOptions) => withLog(context, (store) => list(store, context, options)));
  dead
    .command("show")
    .description("one letter, with its failures and the message that it points at")
    .argument("<letter>", "as in the list")
    .option("--json", "as JSON")
    .action((id: string, { json }: { json?: true }) =>
      withLog(context, async (store) => {
        const stored = await requireLetter(store, id);
        const original = await originalOf(store, stored);
        for (const line of json
          ? [
              JSON.stringify({
                ...withId(stored),
                original: original && describeOriginal(original),
              }),
            ]
          : renderLetter(stored, original)) {
          context.print(line);
        }
      }),
    );
  dead
    .command("requeue")
    .description("hand the message to its worker again; exits with 1 if one fails anew")
    .argument("<letters...>", "as in the list")
    .option("--wait <seconds>", "how long to wait for what becomes of each", seconds, 10)
    .option("--json", "one line of JSON for each")
    .action((ids: readonly string[], { wait, json }: { wait: number; json?: true }) =>
      withLog(context, async (store) => {
        for (const id of ids) {
          await requeue(store, context, { id, wait, json: json === true });
        }
      }),
    );
  dead
    .command("drop")
    .description("settle letters for good, without handling their messages")
    .argument("<letters...>", "as in the list")
    .requiredOption("--reason <text>", "why; it is kept with the letter")
    .option("--by <name>", "who decides so", userInfo().username)
    .option("--json", "one line of JSON for each")
    .action(
      (ids: readonly string[], { by, reason, json }: { by: string; reason: string; json?: true }) =>
        withLog(context, async (store) => {
          for (const id of ids) {
            await dropDeadLetter(store, id, { by, reason });
            context.print(
              json ? JSON.stringify({ id, outcome: "dropped", by, reason }) : `${id}: dropped`,
            );
          }
        }),
    );
};

const seconds = (text: string): number => {
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError("It must be a number of seconds.");
  }
  return value;
};

const withId = ({ id, letter }: StoredDeadLetter) => ({ id, ...letter });

const requireLetter = async (store: EventStore, id: string): Promise<StoredDeadLetter> => {
  const stored = await findDeadLetter(store, id);
  if (!stored) {
    throw new DomainError("not_found", `There is no dead letter "${id}".`, { fields: { id } });
  }
  return stored;
};

const list = async (
  store: EventStore,
  { print }: CliContext,
  { worker, dropped = false, json = false }: { worker?: string; dropped?: boolean; json?: boolean },
): Promise<void> => {
  const letters: StoredDeadLetter[] = [];
  for await (const stored of listDeadLetters(store, {
    dropped,
    ...(worker === undefined ? {} : { worker }),
  })) {
    if (json) {
      print(JSON.stringify(withId(stored)));
    } else {
      letters.push(stored);
    }
  }
  if (!json) {
    renderList(letters).forEach(print);
  }
};

const requeue = async (
  store: EventStore,
  { print }: CliContext,
  { id, wait, json }: { readonly id: string; readonly wait: number; readonly json: boolean },
): Promise<void> => {
  const before = await requireLetter(store, id);
  await requeueDeadLetter(store, id);
  const outcome = await awaitOutcome(store, before, wait * 1_000);
  if (outcome.kind === "failed") {
    process.exitCode = 1;
  }
  if (json) {
    print(
      JSON.stringify({
        id,
        outcome: outcome.kind,
        ...(outcome.kind === "failed" ? { error: outcome.stored.letter.error } : {}),
      }),
    );
    return;
  }
  switch (outcome.kind) {
    case "handled":
      print(`${id}: handled`);
      break;
    case "failed":
      print(`${id}: failed again: ${outcome.stored.letter.error.message}`);
      break;
    case "waiting":
      print(`${id}: requeued; no worker has settled it yet`);
      break;
  }
};
