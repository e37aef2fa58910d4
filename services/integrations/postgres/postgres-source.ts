/** An organisation's own Postgres as a source of actions, which read and change nothing. */
import { z } from "zod";
import type { ActionDefinition } from "#contracts/actions/definition";
import type { ConnectorTarget } from "#contracts/connector/events";
import { DomainError } from "#contracts/errors";
import type { ActionSource } from "../../actions/sources/source.ts";
import { guideOf } from "../action-guide.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { listColumns } from "./list-columns.ts";
import { type DatabaseAddress, type ReadBounds, readRows } from "./read-rows.ts";

export interface PostgresSourceOptions {
  readonly id: string;
  readonly name: string;
  readonly database: Extract<ConnectorTarget, { kind: "postgres" }>;
  /** Asked for at each action. @throws DomainError `integration_unauthorized` */
  readonly password: () => Promise<string>;
  readonly outbound: Outbound;
  readonly bounds?: Partial<ReadBounds>;
}

const defaultBounds: ReadBounds = {
  statementTimeoutMs: 15_000,
  maxRows: 500,
  maxBytes: 2 * 1024 * 1024,
};

const queryParams = z.strictObject({
  sql: z
    .string()
    .min(1)
    .max(20_000)
    .describe("One SELECT, VALUES, TABLE or WITH query; $1, $2 … stand for the values"),
  values: z
    .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .max(100)
    .default([]),
});
const tablesParams = z.strictObject({
  schema: z.string().max(63).optional().describe("Only the tables of this schema"),
  after: z.string().max(200).optional().describe("What the page before answered as `next`"),
});

const schemaOf = (params: z.ZodObject): ActionDefinition["params"] =>
  z.toJSONSchema(params, { io: "input" });

const definitions: readonly ActionDefinition[] = [
  {
    id: "query",
    description: "Runs one read-only query and answers its rows; a long answer is cut.",
    risk: "read",
    idempotent: true,
    params: schemaOf(queryParams),
  },
  {
    id: "list_tables",
    description: "Lists tables and views with their columns.",
    risk: "read",
    idempotent: true,
    params: schemaOf(tablesParams),
  },
];

/** Each action has a connection of its own; nothing is kept between two. */
export const createPostgresSource = (options: PostgresSourceOptions): ActionSource => {
  const { id, name, database, outbound } = options;
  const bounds = { ...defaultBounds, ...options.bounds };
  const addressed = async (signal: AbortSignal): Promise<DatabaseAddress> => ({
    ...database,
    password: await options.password(),
    outbound,
    signal,
  });
  const check = async (): Promise<void> => {
    const nobody = new AbortController();
    await readRows(await addressed(nobody.signal), { sql: "SELECT 1", values: [] }, bounds);
  };
  return {
    id,
    name,
    // Whether the database can be reached is for the test of the connector to say.
    list: () => Promise.resolve(definitions),
    check,
    guide: () => Promise.resolve(guideOf({ id, name }, definitions)),
    execute: async (action, params, { signal }) => {
      switch (action) {
        case "query":
          return readRows(await addressed(signal), queryParams.parse(params), bounds);
        case "list_tables":
          return listColumns(await addressed(signal), tablesParams.parse(params), bounds);
        default:
          throw new DomainError("action_not_found", `"${id}" has no action "${action}".`);
      }
    },
  };
};
