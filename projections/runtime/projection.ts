import type { Queryable } from "../database.ts";
import type { ProjectedCommit } from "./projected-commit.ts";
import type { AnyTable, TableWrite } from "./table.ts";

/**
 * A read model: tables, and how commits change them. `project` sees every commit once, in the order of its
 * shard. It may read its own tables, which stand where the commits before the batch have left them, and
 * answers the rows that the batch changes; it writes nothing itself and calls nobody. The runtime writes
 * the rows together with the read model's checkpoint.
 */
export interface Projection {
  readonly name: string;
  /** Raised whenever `schema.sql` or the meaning of a row changes; the tables are then built anew. */
  readonly version: number;
  /** The SQL file that creates the tables. */
  readonly schema: URL;
  readonly tables: readonly AnyTable[];
  readonly project: (
    batch: readonly ProjectedCommit[],
    sql: Queryable,
  ) => Promise<readonly TableWrite[]>;
}
