import { type FileHandle, open } from "node:fs/promises";
import { DomainError } from "#contracts/errors";
import { lastSequence } from "../reading/commit-feed.ts";
import type { EventStore } from "../event-store.ts";
import { formatPosition, parsePosition } from "../position.ts";
import { parseSubject, shardOf, streamOf } from "../sharding.ts";
import { entryLine, ExportCheck, type ExportHeader, headerStart } from "./export-format.ts";
import { readFileLines } from "./file-lines.ts";
import { filterOf } from "./scope.ts";
import { readStored } from "./stored-messages.ts";

export interface ExportOptions {
  readonly organization: string;
  /** The file to write; what an export of the organisation that was cut off has written is kept. */
  readonly path: string;
}

export interface Exported {
  readonly commits: number;
  /** How many of them the file held already. */
  readonly found: number;
  /** The end of the log when the export began; what came later is not in it. */
  readonly through: string;
}

/** About how many characters are written at a time. */
const writeSize = 1 << 20;

/**
 * Exports an organisation's history as it is when the export begins. An export that was cut off goes on
 * from the last whole line, and ends up the same, byte for byte, as one that was not; one that is
 * finished is only checked. No two exports may write the same file at once.
 *
 * @throws DomainError `export_invalid` if the file holds something else or a chain of the log is broken;
 * `not_found` for an organisation without commits
 */
export const exportHistory = async (
  store: EventStore,
  { organization, path }: ExportOptions,
): Promise<Exported> => {
  const shard = shardOf(organization, store.shards);
  await using file = await open(path, "a+", 0o600);
  const check = new ExportCheck(path);
  const found = await readBegun(path, check);
  if (check.header === null) await refuseForeign(file, path);
  if (check.header !== null && check.header.organization !== organization) {
    throw new DomainError("export_invalid", `${path} is the export of another organisation.`);
  }
  await file.truncate(found);
  const before = check.commits;
  const writer = new LineWriter(file, check);
  if (check.header === null) await writer.write(await begin(store, organization, shard));
  const through = check.header?.through ?? "";
  if (!check.closed) {
    for await (const message of readStored(store, {
      shard,
      scope: { organization },
      after: check.sequence,
      until: parsePosition(through).sequence,
    })) {
      await writer.write(entryLine(message, parseSubject(message.subject)));
    }
    await writer.write(check.closing);
    await writer.flush();
    await file.sync();
  }
  return { commits: check.commits, found: before, through };
};

/** Checks what the file holds already. Answers where its last whole line ends. */
const readBegun = async (path: string, check: ExportCheck): Promise<number> => {
  let end = 0;
  for await (const line of readFileLines(path)) {
    check.take(line);
    end = line.offset;
  }
  return end;
};

/** A file without a whole line is cut to nothing, so it had better be the beginning of a header. */
const refuseForeign = async (file: FileHandle, path: string): Promise<void> => {
  const buffer = Buffer.alloc(headerStart.length);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  if (!headerStart.startsWith(buffer.toString("utf8", 0, bytesRead))) {
    throw new DomainError("export_invalid", `${path} holds something else already.`);
  }
};

const begin = async (store: EventStore, organization: string, shard: number): Promise<string> => {
  const end = await lastSequence(store, shard);
  const { state } = await store.jsm.streams.info(streamOf(shard), {
    subjects_filter: filterOf({ organization }, shard) ?? ">",
  });
  if (Object.keys(state.subjects ?? {}).length === 0) {
    throw new DomainError("not_found", `The log has no commit of "${organization}".`);
  }
  const header: ExportHeader = {
    format: "proliferate-history",
    v: 1,
    organization,
    through: formatPosition(shard, end),
  };
  return JSON.stringify(header);
};

/** Writes lines that have passed the check which every reader will make. */
class LineWriter {
  readonly #file: FileHandle;
  readonly #check: ExportCheck;
  #waiting = "";

  constructor(file: FileHandle, check: ExportCheck) {
    this.#file = file;
    this.#check = check;
  }

  async write(text: string): Promise<void> {
    this.#check.take({ text });
    this.#waiting += `${text}\n`;
    if (this.#waiting.length >= writeSize) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = "";
    await this.#file.appendFile(text);
  }
}
