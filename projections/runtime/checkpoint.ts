import { DomainError } from "#contracts/errors";
import type { Queryable } from "../database.ts";
import type { Projection } from "./projection.ts";

/** The channel on which every projected batch is announced, as `schema/shard:sequence`. */
export const progressChannel = "projection_progress";

/** Names the read models and their versions, for example `audit@1,sessions@2`. */
export const modelsOf = (projections: readonly Projection[]): string =>
  projections
    .map(({ name, version }) => `${name}@${version}`)
    .sort()
    .join(",");

export interface OpenCheckpoint {
  /** Up to which sequence the shard has been projected. */
  readonly checkpoint: number;
  /** The table that it stands in: another one after the read models have been built anew. */
  readonly generation: number;
}

/**
 * Where a shard stands; at 0 if it has no checkpoint yet, which it is given.
 *
 * @throws DomainError `configuration_invalid` if other read models than these are projected here
 */
export const openCheckpoint = async (
  sql: Queryable,
  shard: number,
  models: string,
): Promise<OpenCheckpoint> => {
  await sql`
    insert into projection_checkpoints (shard, checkpoint, models) values (${shard}, 0, ${models})
    on conflict (shard) do nothing`;
  const [row] = await sql<{ checkpoint: string; models: string; generation: string }[]>`
    select checkpoint, models, tableoid::bigint as generation from projection_checkpoints where shard = ${shard}`;
  if (row?.models !== models) {
    throw new DomainError(
      "configuration_invalid",
      "Another version of this program has taken over the read models.",
      { fields: { shard, found: row?.models ?? null, own: models } },
    );
  }
  return { checkpoint: Number(row.checkpoint), generation: Number(row.generation) };
};

/** Up to which sequence a shard has been projected; 0 if it has no checkpoint. */
export const readCheckpoint = async (sql: Queryable, shard: number): Promise<number> => {
  const [row] = await sql<{ checkpoint: string }[]>`
    select checkpoint from projection_checkpoints where shard = ${shard}`;
  return Number(row?.checkpoint ?? 0);
};
