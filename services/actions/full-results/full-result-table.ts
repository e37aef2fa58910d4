/**
 * Full results in Postgres, sealed with their session's key: whoever erases that key, or the organisation's,
 * makes them unreadable. No read model, since the log does not hold what is in here; see ADR 0007.
 */
import type { Sql } from "postgres";
import type { InvocationId, OrganizationId, SessionId } from "#contracts/ids";
import type { DataKeys, TextOwner } from "#event-store/sealing/data-keys";
import { decrypt, encrypt } from "../../secrets/envelope.ts";
import { prepareVault } from "../../secrets/prepare-vault.ts";

/** One attempt's result: an executor that was taken for dead never writes over that of its successor. */
export interface FullResultKey {
  readonly organization: OrganizationId;
  readonly sessionId: SessionId;
  readonly id: InvocationId;
  readonly attempt: number;
}

export interface FullResultTable {
  /**
   * Keeps a text; what is kept already stays as it is. False if the session's text was erased, and nothing
   * is kept any more.
   */
  put(key: FullResultKey, text: string, until: Date): Promise<boolean>;
  /** The text; null if there is none, or its key was erased. @throws DomainError `log_unavailable` */
  get(key: FullResultKey): Promise<string | null>;
  /** Removes what was to be kept until then, or for less long. */
  removeExpired(until: Date): Promise<void>;
}

const tables = /* sql */ `
  CREATE TABLE IF NOT EXISTS vault.full_results (
    organization_id text NOT NULL,
    invocation_id text NOT NULL,
    attempt integer NOT NULL,
    -- names the session's key that opens it
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (organization_id, invocation_id, attempt)
  );
  CREATE INDEX IF NOT EXISTS full_results_until ON vault.full_results (until);
`;

/** Creates the table if it is not there. */
export const prepareFullResults = (sql: Sql): Promise<void> => prepareVault(sql, tables);

export interface FullResultTableOptions {
  /** The table must have been prepared. The connection stays the caller's to close. */
  readonly sql: Sql;
  readonly keys: DataKeys;
}

export const openFullResults = ({ sql, keys }: FullResultTableOptions): FullResultTable => ({
  put: async (key, text, until) => {
    const dataKey = await keys.toSeal(ownerOf(key));
    if (dataKey === null) return false;
    const sealed = encrypt(dataKey.secret.export(), placeOf(key), Buffer.from(text, "utf8"));
    await sql`
      INSERT INTO vault.full_results (organization_id, invocation_id, attempt, key_id, sealed, until)
      VALUES (${key.organization}, ${key.id}, ${key.attempt}, ${dataKey.id}, ${sealed}, ${until})
      ON CONFLICT DO NOTHING`;
    return true;
  },
  get: async (key) => {
    const [row] = await sql<{ keyId: string; sealed: Buffer }[]>`
      SELECT key_id AS "keyId", sealed FROM vault.full_results
      WHERE organization_id = ${key.organization} AND invocation_id = ${key.id}
        AND attempt = ${key.attempt}`;
    const [dataKey] = row ? await keys.toOpen([ownerOf(key)]) : [];
    if (!row || dataKey?.id !== row.keyId) return null;
    return decrypt(dataKey.secret.export(), placeOf(key), row.sealed).toString("utf8");
  },
  removeExpired: async (until) => {
    await sql`DELETE FROM vault.full_results WHERE until <= ${until}`;
  },
});

const ownerOf = ({ organization, sessionId }: FullResultKey): TextOwner => ({
  organization,
  owner: sessionId,
});

/** A row that was copied to another invocation does not open. */
const placeOf = ({ organization, id, attempt }: FullResultKey): string =>
  JSON.stringify(["full-result", organization, id, attempt]);
