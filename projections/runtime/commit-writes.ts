import type { Queryable } from "../database.ts";
import { progressChannel } from "./checkpoint.ts";
import { type TableWrite, writeSql } from "./table.ts";

export interface CheckpointMove {
  readonly shard: number;
  readonly models: string;
  /** See `OpenCheckpoint`: what was planned for tables that have been replaced must not be written. */
  readonly generation: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Writes rows and moves a checkpoint, if it still stands at `from`, in one transaction. Answers whether it
 * did; whoever comes second waits for the first, and then writes nothing. Waiters hear of the move when
 * the transaction commits.
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
  { shard, models, generation, from, to }: CheckpointMove,
  writes: readonly TableWrite[],
): Promise<boolean> => {
  const moved = await sql.unsafe(
    statementOf(writes),
    [to, shard, from, models, generation, ...writes.map(({ json }) => json)],
    { prepare: true },
  );
  return moved.length === 1;
};

const statementOf = (writes: readonly TableWrite[]): string => {
  const inserts = writes.map(
    (write, index) =>
      `, write_${index} as (${writeSql(write, { parameter: index + 6, condition: "moved" })})`,
  );
  return `with moved as (
      update projection_checkpoints set checkpoint = $1::bigint
      where shard = $2::integer and checkpoint = $3::bigint and models = $4::text
        and tableoid = $5::bigint::oid
      returning
        set_config('synchronous_commit', 'off', true),
        pg_notify('${progressChannel}', current_schema() || '/' || shard || ':' || checkpoint)
    )${inserts.join("")} select 1 from moved`;
};
