import type { Sql } from "postgres";

/**
 * The tables of identity. They are ordinary tables, not a read model: who belongs to an organisation
 * is not told by the log. E-mail addresses are one person's, however they are capitalised.
 */
const schema = /* sql */ `
  CREATE SCHEMA IF NOT EXISTS identity;
  CREATE TABLE IF NOT EXISTS identity.organizations (
    id text PRIMARY KEY,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE IF NOT EXISTS identity.users (
    id text PRIMARY KEY,
    organization_id text NOT NULL REFERENCES identity.organizations (id),
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX IF NOT EXISTS users_email ON identity.users (lower(email));
  CREATE TABLE IF NOT EXISTS identity.sign_in_tokens (
    token_hash bytea PRIMARY KEY,
    user_id text NOT NULL REFERENCES identity.users (id) ON DELETE CASCADE,
    expires_at timestamptz NOT NULL,
    used_at timestamptz
  );
  CREATE TABLE IF NOT EXISTS identity.service_tokens (
    id text PRIMARY KEY,
    user_id text NOT NULL REFERENCES identity.users (id),
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
  );
  ALTER TABLE identity.service_tokens
    ADD COLUMN IF NOT EXISTS issued_by text,
    ADD COLUMN IF NOT EXISTS revoked_by text;
`;

/** Any number, the same in every process: whoever holds it prepares the tables or the first owner. */
export const identityLock = 7_205_002;

/** Creates what is missing; fine in several processes at once. */
export const prepareIdentityTables = async (sql: Sql): Promise<void> => {
  await sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${identityLock})`;
    await tx.unsafe(schema);
  });
};
