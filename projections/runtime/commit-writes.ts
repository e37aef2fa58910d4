import type { Queryable } from "../database.ts";
import { announcementSql, progressChannel } from "./announcement.ts";
import { type TableWrite, writeSql } from "./table.ts";

export interface CheckpointMove {
  readonly shard: number;
  /** The read models that move together, each with its build, see `OpenCheckpoint`. */
  readonly models: readonly { readonly model: string; readonly build: string }[];
  readonly from: number;
  readonly to: number;
}

/**
 * Writes rows and moves the checkpoints of their read models, if all of them still stand at `from`, in one
 * transaction. Answers whether it did; whoever comes second waits for the first, and then writes nothing,
 * as does one whose tables have been replaced. Waiters hear of the move when the transaction commits.
 *
 * It is a single statement because a transaction of several is not safe with postgres.js 3.4: when its
 * connection dies in between, the rollback crashes the process or later statements run outside of it
 * (porsager/postgres#1155, #1208).
 *
 * The commit is not waited for on disk: a crash of Postgres takes the newest checkpoints together with
 * their rows, and both come again from the log.
 */
export const commitWrites = async (
  sql: Queryable,
  { shard, models, from, to }: CheckpointMove,
  writes: readonly TableWrite[],
): Promise<boolean> => {
  const names = models.map(({ model }) => model);
  const builds = models.map(({ build }) => build);
  const moved = await sql.unsafe(
    statementOf(writes),
    [to, shard, from, names, builds, ...writes.map(({ json }) => json)],
    { prepare: true },
  );
  return moved.length === 1;
};

const statementOf = (writes: readonly TableWrite[]): string => {
  const inserts = writes.map(
    (write, index) =>
      `, write_${index} as (${writeSql(write, { parameter: index + 6, condition: "whole" })})`,
  );
  // The checkpoints are locked in the order of their names, so that two who overlap do not wait for each other.
  return `with held as (
      select model from projection_progress
      where shard = $2::integer and checkpoint = $3::bigint
        and (model, build) in (select * from unnest($4::text[], $5::uuid[]))
      order by model for update
    ), whole as (
      select 1 from held having count(*) = cardinality($4::text[])
    ), moved as (
      update projection_progress set checkpoint = $1::bigint
      where shard = $2::integer and model = any($4::text[]) and exists (select from whole)
    )${inserts.join("")}
    select set_config('synchronous_commit', 'off', true),
      pg_notify('${progressChannel}', ${announcementSql("$2::integer", "$1::bigint", "$4::text[]")})
    from whole`;
};
