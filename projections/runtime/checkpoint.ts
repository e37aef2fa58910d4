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

/**
 * Up to which sequence a shard has been projected; 0 for a shard that has no checkpoint yet, which is
 * given one.
 *
 * @throws DomainError `configuration_invalid` if other read models than these are projected here
 */
export const openCheckpoint = async (
  sql: Queryable,
  shard: number,
  models: string,
): Promise<number> => {
  await sql`
    insert into projection_checkpoints (shard, checkpoint, models) values (${shard}, 0, ${models})
    on conflict (shard) do nothing`;
  const [row] = await sql<{ checkpoint: string; models: string }[]>`
    select checkpoint, models from projection_checkpoints where shard = ${shard}`;
  if (row?.models !== models) {
    throw new DomainError(
      "configuration_invalid",
      "Another version of this program has taken over the read models.",
      { fields: { shard, found: row?.models ?? null, own: models } },
    );
  }
  return Number(row.checkpoint);
};

/** Up to which sequence a shard has been projected; 0 if it has no checkpoint. */
export const readCheckpoint = async (sql: Queryable, shard: number): Promise<number> => {
  const [row] = await sql<{ checkpoint: string }[]>`
    select checkpoint from projection_checkpoints where shard = ${shard}`;
  return Number(row?.checkpoint ?? 0);
};
