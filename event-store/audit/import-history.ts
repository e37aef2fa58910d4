import { DomainError } from "#contracts/errors";
import { append } from "../append/append.ts";
import { lastSequence } from "../reading/commit-feed.ts";
import type { EventStore } from "../event-store.ts";
import { formatPosition } from "../position.ts";
import { hashOf } from "../reading/recorded.ts";
import { shardOf, streamOf, subjectOf } from "../sharding.ts";
import { aggregateName } from "../reading/verify-chain.ts";
import { ExportCheck, type ExportedCommit } from "./export-format.ts";
import { readFileLines } from "./file-lines.ts";
import { readStored } from "./stored-messages.ts";

export interface Imported {
  readonly organization: string;
  /** How many commits the file holds, all of which are in the log now. */
  readonly commits: number;
  /** How many of them were there already, from an import that was cut off. */
  readonly found: number;
}

/**
 * Appends an exported history to a log that has nothing of the organisation, or the beginning of just
 * this history: the same commits with the same hashes, in the same order. The whole file is checked
 * before anything is written, and the log is read back at the end.
 *
 * @throws DomainError `export_invalid` for a file that is damaged or was not finished;
 * `import_conflict` if the log has another history of the organisation, or workers are running, which
 * would act on what happened long ago
 */
export const importHistory = async (store: EventStore, path: string): Promise<Imported> => {
  const { organization, commits } = await checkWhole(path);
  const shard = shardOf(organization, store.shards);
  await refuseWhileWorkersRun(store, shard);
  const { found, sequences } = await compareWithLog(store, shard, { organization, path });
  let index = 0;
  for await (const entry of entriesOf(path)) {
    index += 1;
    if (index <= found) continue;
    const name = aggregateName(entry.ref);
    const { ref, hash } = entry;
    const { prev, ...meta } = entry.commit.meta;
    const expected = { sequence: sequences.get(name) ?? 0, hash: prev };
    const appended = await append(store, ref, { ...entry.commit, meta }, { expected });
    if (appended.hash !== hash) {
      throw conflict(formatPosition(appended.shard, appended.sequence), entry);
    }
    sequences.set(name, appended.sequence);
  }
  const now = await compareWithLog(store, shard, { organization, path });
  if (now.found !== commits) {
    throw new DomainError("import_conflict", `The log holds ${now.found} of ${commits} commits.`);
  }
  return { organization, commits, found };
};

const checkWhole = async (
  path: string,
): Promise<{ readonly organization: string; readonly commits: number }> => {
  const check = new ExportCheck(path);
  for await (const line of readFileLines(path)) check.take(line);
  if (check.header === null || !check.closed) {
    throw new DomainError("export_invalid", `${path} was not finished: export to it once more.`);
  }
  return { organization: check.header.organization, commits: check.commits };
};

async function* entriesOf(path: string): AsyncGenerator<ExportedCommit> {
  const check = new ExportCheck(path);
  for await (const line of readFileLines(path)) {
    const entry = check.take(line);
    if (entry !== null) yield entry;
  }
}

interface Overlap {
  /** How many commits of the file the log has. */
  readonly found: number;
  /** The sequences of the newest ones in this log, by aggregate. */
  readonly sequences: Map<string, number>;
}

/** Goes along the log and the file until one of them ends. Throws `import_conflict` where they part. */
const compareWithLog = async (
  store: EventStore,
  shard: number,
  { organization, path }: { readonly organization: string; readonly path: string },
): Promise<Overlap> => {
  const sequences = new Map<string, number>();
  let found = 0;
  const until = await lastSequence(store, shard);
  const entries = entriesOf(path);
  try {
    for await (const message of readStored(store, { shard, scope: { organization }, until })) {
      const next = await entries.next();
      if (next.done === true) break;
      const { ref, hash } = next.value;
      if (hashOf(message.data) !== hash || message.subject !== subjectOf(ref, store.shards)) {
        throw conflict(formatPosition(shard, message.seq), next.value);
      }
      sequences.set(aggregateName(ref), message.seq);
      found += 1;
    }
  } finally {
    await entries.return(undefined);
  }
  return { found, sequences };
};

const conflict = (position: string, { ref, hash }: ExportedCommit): DomainError =>
  new DomainError(
    "import_conflict",
    `The log has another history of ${ref.organization}: the file has the commit ${hash} of ` +
      `${ref.aggregate} ${ref.id} where the log has ${position}.`,
    { fields: { position, expected: hash } },
  );

/** Reactors would take what they are handed for new, and half a history for the whole. */
const refuseWhileWorkersRun = async ({ jsm }: EventStore, shard: number): Promise<void> => {
  const running: string[] = [];
  for await (const { config, num_waiting: waiting } of jsm.consumers.list(streamOf(shard))) {
    if (config.durable_name !== undefined && waiting > 0) running.push(config.durable_name);
  }
  if (running.length > 0) {
    throw new DomainError(
      "import_conflict",
      `Workers are running (${running.join(", ")}): stop them before the import.`,
      { fields: { workers: running } },
    );
  }
};
