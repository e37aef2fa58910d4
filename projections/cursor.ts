/** Where a page of a list ended, as an opaque text: the sort key and the id of its last row. */
import { DomainError } from "#contracts/errors";
import type { Fragment } from "postgres";
import { z } from "zod";
import type { Queryable } from "./database.ts";

const cursorSchema = z.tuple([z.iso.datetime(), z.string().min(1).max(64)]);

export interface Cursor {
  /** ISO instant, to the millisecond. */
  readonly at: string;
  readonly id: string;
}

const encodeCursor = ({ at, id }: Cursor): string =>
  Buffer.from(JSON.stringify([at, id])).toString("base64url");

/** Reads what {@link encodeCursor} wrote. Throws `request_malformed` for anything else. */
export const decodeCursor = (text: string): Cursor => {
  try {
    const [at, id] = cursorSchema.parse(
      JSON.parse(Buffer.from(text, "base64url").toString("utf8")),
    );
    if (encodeCursor({ at, id }) !== text)
      throw new TypeError("not in the form that was given out");
    return { at, id };
  } catch (cause) {
    throw new DomainError(
      "request_malformed",
      "The cursor is not one that this server has given.",
      {
        cause,
      },
    );
  }
};

export interface Page {
  /** How many rows to answer at most. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Cuts the row that was read beyond the limit, and names the place where the next page starts.
 * Queries read `limit + 1` rows so that the last page is known as such.
 */
export const pageOf = <Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => Cursor,
): { rows: readonly Row[]; next: string | null } => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? encodeCursor(cursorOf(last)) : null;
  return { rows: shown, next };
};

/**
 * The condition that leaves the rows after a cursor, for lists that are sorted by `created_at` and `id`,
 * both descending; nothing without one. Throws `request_malformed`.
 */
export const olderThan = (sql: Queryable, cursor: string | undefined): Fragment => {
  if (cursor === undefined) return sql``;
  const { at, id } = decodeCursor(cursor);
  return sql`and (created_at, id) < (${at}::timestamptz, ${id})`;
};
