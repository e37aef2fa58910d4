/** Up to which commit each read model has come in each shard of the log. */
import type { Queryable } from "../database.ts";
import type { Projection } from "./projection.ts";

export interface OpenCheckpoint {
  readonly model: string;
  /** The version of the model that stands here. */
  readonly version: number;
  /** Up to which sequence the shard has been projected into the model. */
  readonly checkpoint: number;
  /** Names the tables: another one after they have been built anew. */
  readonly build: string;
}

/**
 * Where these read models stand in a shard; at 0 where one has no checkpoint yet, which it is given. A
 * model that is not in the schema is left out.
 */
export const openCheckpoints = async (
  sql: Queryable,
  shard: number,
  projections: readonly Projection[],
): Promise<readonly OpenCheckpoint[]> => {
  const names = projections.map(({ name }) => name);
  await sql`
    insert into projection_progress (model, shard, checkpoint)
    select name, ${shard}::integer, 0 from projection_models where name = any(${names})
    on conflict do nothing`;
  const rows = await sql<(Omit<OpenCheckpoint, "checkpoint"> & { checkpoint: string })[]>`
    select p.model, m.version, p.checkpoint, p.build
    from projection_progress p join projection_models m on m.name = p.model
    where p.shard = ${shard} and p.model = any(${names})`;
  return rows.map((row) => ({ ...row, checkpoint: Number(row.checkpoint) }));
};

/**
 * Up to which sequence a shard has been projected into these read models, by default all of the schema; 0
 * for one that has no checkpoint.
 */
export const readCheckpoints = async (
  sql: Queryable,
  shard: number,
  models?: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = await sql<{ name: string; checkpoint: string }[]>`
    select m.name, coalesce(p.checkpoint, 0) as checkpoint
    from projection_models m
    left join projection_progress p on p.model = m.name and p.shard = ${shard}
    ${models === undefined ? sql`` : sql`where m.name = any(${[...models]})`}`;
  return new Map(rows.map(({ name, checkpoint }) => [name, Number(checkpoint)]));
};
