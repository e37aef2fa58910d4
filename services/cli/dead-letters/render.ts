/** What an operator reads of dead letters. */
import type { StoredMsg } from "@nats-io/jetstream";
import { isDomainError } from "#contracts/errors";
import type { StoredDeadLetter } from "#event-store/workers/dead-letters";
import type { Failure } from "#event-store/workers/failures";
import { readRecorded } from "#event-store/reading/recorded";

/** The longest body that is shown. */
const maxBodyLength = 4_000;
const maxErrorInList = 80;

/** A table of letters, or a sentence when there is none. */
export const renderList = (letters: readonly StoredDeadLetter[]): readonly string[] =>
  letters.length === 0
    ? ["No dead letters."]
    : columns([
        ["LETTER", "SINCE", "ATTEMPTS", "REQUEUED", "ERROR"],
        ...letters.map(({ id, letter: { at, attempts, requeues, error, dropped } }) => [
          id,
          at,
          String(attempts),
          String(requeues),
          dropped ? `dropped by ${dropped.by}: ${dropped.reason}` : describeError(error),
        ]),
      ]);

const columns = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
};

const describeError = ({ name, code, message }: Failure["error"]): string => {
  const text = `${code ?? name}: ${message}`.replaceAll(/\s+/g, " ");
  return text.length > maxErrorInList ? `${text.slice(0, maxErrorInList - 1)}…` : text;
};

/** Everything about one letter, with the message that it points at if that is still kept. */
export const renderLetter = (
  { id, letter }: StoredDeadLetter,
  original: StoredMsg | null,
): readonly string[] => {
  const { worker, stream, sequence, subject, attempts, requeues, dropped, error } = letter;
  return [
    `letter     ${id}`,
    `worker     ${worker}`,
    `message    ${sequence} of ${stream}, ${subject}`,
    `attempts   ${attempts}, requeued ${requeues} times`,
    ...(dropped ? [`dropped    ${dropped.at} by ${dropped.by}: ${dropped.reason}`] : []),
    `error      ${error.code ?? error.name}: ${error.message}`,
    "history",
    ...letter.history.map(
      (failure) => `  ${failure.at}  attempt ${failure.attempt}  ${describeError(failure.error)}`,
    ),
    ...renderOriginal(original),
  ];
};

const renderOriginal = (original: StoredMsg | null): readonly string[] => {
  if (!original) {
    return ["the message is not kept any more"];
  }
  const described = describeOriginal(original);
  return "commit" in described
    ? [`commit     ${described.position}`, JSON.stringify(described.commit, null, 2)]
    : ["body", described.body];
};

/** The message as a commit if it is one, else its body as text, shortened. */
export const describeOriginal = (
  original: StoredMsg,
):
  | { readonly position: string; readonly commit: unknown }
  | { readonly body: string; readonly bytes: number } => {
  try {
    const { position, commit } = readRecorded(original);
    return { position, commit };
  } catch (error) {
    if (!isDomainError(error)) {
      throw error;
    }
    // Not a commit, or a damaged one: its bytes are all that there is to see.
    return { body: original.string().slice(0, maxBodyLength), bytes: original.data.byteLength };
  }
};
