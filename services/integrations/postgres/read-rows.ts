/**
 * One query on somebody's database, which cannot change anything there, and ends in time and within a size.
 *
 * What holds it: the statement is the query of a cursor, and the grammar allows only a query there, so no
 * COPY, CALL, DO, SET or COMMIT; the extended protocol takes one statement, so nothing follows it; the
 * transaction is read-only and has begun, so the functions of a query cannot make it writable, and it is
 * always rolled back.
 */
import type { Socket } from "node:net";
import postgres from "postgres";
import type { ConnectorTarget } from "#contracts/connector/events";
import { unlessAborted } from "../../unless-aborted.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { queryFailure } from "./query-failure.ts";
import { textTypes } from "./text-types.ts";

export type DatabaseAddress = Extract<ConnectorTarget, { kind: "postgres" }> & {
  readonly password: string;
  readonly outbound: Outbound;
  readonly signal: AbortSignal;
};

export interface ReadBounds {
  /** How long one statement may run in the database. */
  readonly statementTimeoutMs: number;
  readonly maxRows: number;
  /** Of what the database sends, in bytes. */
  readonly maxBytes: number;
}

export interface Query {
  readonly sql: string;
  readonly values: readonly (string | number | boolean | null)[];
}

export interface Rows {
  readonly columns: readonly string[];
  /** In the order of the columns, whose names need not differ. */
  readonly rows: readonly (readonly unknown[])[];
  /** Whether there are more rows than these. */
  readonly truncated: boolean;
}

/** How much longer than a statement a connection may last: to connect, to sign in, to say goodbye. */
const graceMs = 10_000;

/**
 * @throws DomainError `query_refused`, `query_failed`, `query_timed_out`, `response_too_large`,
 * `integration_unauthorized`, `integration_unreachable`, `address_forbidden`: nothing has been changed
 */
export const readRows = async (
  address: DatabaseAddress,
  { sql: text, values }: Query,
  bounds: ReadBounds,
): Promise<Rows> => {
  const deadline = AbortSignal.timeout(bounds.statementTimeoutMs + graceMs);
  const exceeded = new AbortController();
  const signal = AbortSignal.any([address.signal, deadline, exceeded.signal]);
  const sockets: Socket[] = [];
  // An option that the library has and its types have not. It asks once for each attempt to connect.
  const options = {
    ...connectionOf(address, bounds),
    socket: async () => {
      const socket = await address.outbound.connect(address);
      sockets.push(socket);
      countBytes(socket, bounds.maxBytes, () => exceeded.abort());
      return Object.assign(socket, { host: address.host });
    },
  };
  const sql = postgres(options);
  try {
    return await unlessAborted(query(sql, { text, values }, bounds.maxRows), signal);
  } catch (error) {
    throw queryFailure(error, {
      tooLarge: exceeded.signal.aborted,
      late: deadline.aborted,
      bounds,
    });
  } finally {
    // Whoever closes waits for nobody: a query that still runs is cut off.
    for (const socket of sockets) socket.destroy();
    await sql.end({ timeout: 0 });
  }
};

const query = async (
  sql: postgres.Sql,
  { text, values }: { readonly text: string; readonly values: Query["values"] },
  maxRows: number,
): Promise<Rows> => {
  await sql`BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY`;
  // From its first query on a transaction cannot be made writable any more.
  await sql`SELECT 1`;
  await sql.unsafe(`DECLARE answer NO SCROLL CURSOR FOR ${text}`, [...values], { prepare: false });
  const found = await sql.unsafe(`FETCH FORWARD ${maxRows + 1} FROM answer`).values();
  await sql`ROLLBACK`;
  return {
    columns: found.columns.map(({ name }) => name),
    rows: found.slice(0, maxRows),
    truncated: found.length > maxRows,
  };
};

const connectionOf = (
  { host, port, database, user, password, tls }: DatabaseAddress,
  { statementTimeoutMs }: ReadBounds,
) => ({
  host,
  port,
  database,
  username: user,
  password,
  ssl: { verify: { rejectUnauthorized: true }, encrypt: "require" as const, off: false }[tls],
  // One after the other on the same connection: they are one transaction.
  max: 1,
  connect_timeout: graceMs / 1000,
  prepare: false,
  fetch_types: false,
  types: textTypes,
  onnotice: () => undefined,
  connection: {
    application_name: "proliferate",
    default_transaction_read_only: true,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  },
});

/** Looked at often enough that what comes in between is little; a row may be a gigabyte. */
const countBytes = (socket: Socket, maxBytes: number, onExceeded: () => void): void => {
  const watch = setInterval(() => {
    if (socket.bytesRead <= maxBytes) return;
    onExceeded();
    socket.destroy();
  }, 10);
  socket.once("close", () => clearInterval(watch));
};
