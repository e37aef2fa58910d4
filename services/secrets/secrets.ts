/** Secrets at rest: in Postgres, encrypted; never in an event, a log or an answer. */
import type { Sql } from "postgres";
import type { OrganizationId } from "#contracts/ids";
import { keyIdOf, open, seal, type SealedSecret } from "./envelope.ts";
import { prepareVault } from "./prepare-vault.ts";

export interface Secrets {
  /** Stores a value under a name, in the place of the former one. */
  putSecret(secret: {
    readonly organization: OrganizationId;
    readonly name: string;
    readonly value: string;
  }): Promise<void>;
  /** Forgets it; fine if there is none. */
  deleteSecret(secret: {
    readonly organization: OrganizationId;
    readonly name: string;
  }): Promise<void>;
  /** The value; null when there is none of this name. Throws when SECRETS_KEY is not the one it was stored with. */
  getSecret(secret: {
    readonly organization: OrganizationId;
    readonly name: string;
  }): Promise<string | null>;
}

const tables = /* sql */ `
  CREATE TABLE IF NOT EXISTS vault.secrets (
    organization_id text NOT NULL,
    name text NOT NULL,
    key_id text NOT NULL,
    wrapped_key bytea NOT NULL,
    ciphertext bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, name)
  );
`;

/** Prepares the table and answers the functions on it. The connection stays the caller's to close. */
export const openSecrets = async (sql: Sql, wrappingKey: Uint8Array): Promise<Secrets> => {
  await prepareVault(sql, tables);
  return {
    putSecret: async ({ organization, name, value }) => {
      const sealed = seal(wrappingKey, contextOf(organization, name), value);
      await sql`
        INSERT INTO vault.secrets (organization_id, name, key_id, wrapped_key, ciphertext)
        VALUES (${organization}, ${name}, ${sealed.keyId}, ${sealed.wrappedKey}, ${sealed.ciphertext})
        ON CONFLICT (organization_id, name) DO UPDATE SET
          key_id = excluded.key_id,
          wrapped_key = excluded.wrapped_key,
          ciphertext = excluded.ciphertext,
          updated_at = now()`;
    },
    deleteSecret: async ({ organization, name }) => {
      await sql`DELETE FROM vault.secrets WHERE organization_id = ${organization} AND name = ${name}`;
    },
    getSecret: async ({ organization, name }) => {
      const [row] = await sql<SealedSecret[]>`
        SELECT key_id AS "keyId", wrapped_key AS "wrappedKey", ciphertext
        FROM vault.secrets WHERE organization_id = ${organization} AND name = ${name}`;
      if (!row) return null;
      if (row.keyId !== keyIdOf(wrappingKey)) {
        throw new Error(`The secret "${name}" was stored with another SECRETS_KEY.`);
      }
      return open(wrappingKey, contextOf(organization, name), row);
    },
  };
};

const contextOf = (organization: string, name: string): string =>
  JSON.stringify([organization, name]);
