/** The usual read model: one row per aggregate, folded from the aggregate's events. */
import type { AggregateType, CommitMeta } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import type { AnyEvent } from "#contracts/event-registry";
import type { Queryable } from "../database.ts";
import type { ProjectedCommit } from "./projected-commit.ts";
import type { Projection } from "./projection.ts";
import { loadRows, type Table, type TableWrite, upserted } from "./table.ts";

/** Every aggregate's row has these; an id alone is never enough to reach a row. */
export interface AggregateRow {
  readonly organization_id: string;
  readonly id: string;
}

/** What a handler knows of an event beside its data. */
export interface EventContext {
  readonly organization: string;
  /** The aggregate's id. */
  readonly id: string;
  readonly meta: CommitMeta;
}

type DataOf<Type extends AnyEvent["type"]> = Extract<AnyEvent, { type: Type }>["data"];

/** The event that makes a row. */
export type Creation<Row> = {
  readonly [Type in AnyEvent["type"]]?: (data: DataOf<Type>, context: EventContext) => Row;
};
/** The events that change one. */
export type Changes<Row> = {
  readonly [Type in AnyEvent["type"]]?: (
    row: Row,
    data: DataOf<Type>,
    context: EventContext,
  ) => Row;
};

export interface RowProjection<Row extends AggregateRow> {
  readonly name: string;
  readonly version: number;
  readonly schema: URL;
  readonly aggregate: AggregateType;
  readonly table: Table<Row>;
  /** Pure. An event type that is not named, here or in `change`, leaves the row as it is. */
  readonly create: Creation<Row>;
  /** Pure. */
  readonly change: Changes<Row>;
}

// The handlers are looked up by the event's own type, which the compiler cannot follow.
type AnyCreate<Row> = (data: unknown, context: EventContext) => Row;
type AnyChange<Row> = (row: Row, data: unknown, context: EventContext) => Row;

/** Makes a projection that loads the rows a batch touches and folds the batch in memory. */
export const defineRowProjection = <Row extends AggregateRow>(
  definition: RowProjection<Row>,
): Projection => {
  const { name, version, schema, aggregate, table } = definition;
  const creates = new Map(Object.entries(definition.create as Record<string, AnyCreate<Row>>));
  const changes = new Map(Object.entries(definition.change as Record<string, AnyChange<Row>>));

  const project = async (
    batch: readonly ProjectedCommit[],
    sql: Queryable,
  ): Promise<readonly TableWrite[]> => {
    const touched = batch.filter(
      ({ ref, events }) =>
        ref.aggregate === aggregate &&
        events.some(({ type }) => creates.has(type) || changes.has(type)),
    );
    if (touched.length === 0) return [];

    const rows = await rowsBefore(sql, touched);
    for (const { ref, events, meta } of touched) {
      const key = keyOf(ref.organization, ref.id);
      const context: EventContext = { organization: ref.organization, id: ref.id, meta };
      for (const event of events) {
        const { type } = event;
        const create = creates.get(type);
        const change = changes.get(type);
        // only the data of these are looked at: see `ProjectedCommit`
        if (create) rows.set(key, create(event.data, context));
        else if (change)
          rows.set(key, change(existing(rows.get(key), type, ref.id), event.data, context));
      }
    }
    return upserted(table, [...rows.values()]);
  };

  const rowsBefore = async (
    sql: Queryable,
    touched: readonly ProjectedCommit[],
  ): Promise<Map<string, Row>> => {
    const made = new Set<string>();
    const wanted = new Map<string, Partial<Row>>();
    for (const { ref, events } of touched) {
      const key = keyOf(ref.organization, ref.id);
      // the first events of an aggregate are the only ones that need no row from before
      if (events.some(({ type }) => creates.has(type))) made.add(key);
      else if (!made.has(key)) {
        wanted.set(key, { organization_id: ref.organization, id: ref.id } as Partial<Row>);
      }
    }
    const rows = await loadRows(sql, table, [...wanted.values()]);
    return new Map(rows.map((row) => [keyOf(row.organization_id, row.id), row]));
  };

  return { name, version, schema, tables: [table], project };
};

const keyOf = (organization: string, id: string): string => `${organization}/${id}`;

const existing = <Row>(row: Row | undefined, type: string, id: string): Row => {
  if (row === undefined) {
    throw new DomainError(
      "event_invalid",
      `"${type}" came before the event that opens its aggregate.`,
      {
        fields: { type, id },
      },
    );
  }
  return row;
};
