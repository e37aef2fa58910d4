/** The audit read model as a witness of the log: it keeps every commit's hash in another database. */
import type { AggregateType } from "#contracts/commit";
import type { LogScope } from "#event-store/audit/scope";
import type { Witness, WitnessedCommit } from "#event-store/audit/witness";
import type { Sql } from "postgres";
import type { Queryable } from "../database.ts";

interface HeadRow {
  readonly organization: string;
  readonly aggregate: AggregateType;
  readonly id: string;
  readonly hash: string;
}

/** What the read model says, as of one moment for all of its shards. */
export const auditWitness = (sql: Sql): Witness => ({
  testify: (scope) =>
    sql.begin("isolation level repeatable read read only", async (tx) => {
      const checkpoints = await tx<{ shard: number; checkpoint: string }[]>`
        select shard, checkpoint from projection_progress where model = 'audit'`;
      const heads = await tx<HeadRow[]>`
        select distinct on (organization_id, aggregate, aggregate_id)
          organization_id as organization, aggregate, aggregate_id as id, hash
        from audit
        where ${within(tx, scope)}
        order by organization_id, aggregate, aggregate_id, sequence desc`;
      return {
        through: new Map(checkpoints.map(({ shard, checkpoint }) => [shard, Number(checkpoint)])),
        heads: heads.map(({ hash, ...ref }) => ({ ref, hash })),
      };
    }),

  commitsOf: async ({ organization, aggregate, id }, through) => {
    const rows = await sql<(Omit<WitnessedCommit, "sequence"> & { readonly sequence: string })[]>`
      select shard, sequence, hash, command_id as "commandId" from audit
      where organization_id = ${organization} and aggregate_id = ${id}
        and aggregate = ${aggregate} and sequence <= ${through}
      order by sequence`;
    return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
  },
});

const within = (sql: Queryable, { organization, aggregate }: LogScope) => sql`true
  ${organization === undefined ? sql`` : sql`and organization_id = ${organization}`}
  ${aggregate === undefined ? sql`` : sql`and aggregate_id = ${aggregate.id}`}
  ${aggregate?.type == null ? sql`` : sql`and aggregate = ${aggregate.type}`}`;
