import type { Sql } from "postgres";

/**
 * Any number, the same in every process. One for all tables of the schema: two processes that created it at
 * once for different tables would both find it missing, and one would fail.
 */
const vaultLock = 7_205_001;

/**
 * Creates tables of the schema `vault`, which holds what is encrypted and in no log, if they are not there.
 * @param tables SQL that changes nothing the second time
 */
export const prepareVault = async (sql: Sql, tables: string): Promise<void> => {
  await sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${vaultLock})`;
    await tx`CREATE SCHEMA IF NOT EXISTS vault`;
    await tx.unsafe(tables);
  });
};
