/**
 * The keys of people's text, in Postgres: each is wrapped with its organisation's, and that one with a key
 * that comes from SECRETS_KEY. An erased key leaves a row that says who erased it and when; it is never
 * made anew, so nothing that is written later can be read either.
 */
import { createSecretKey, randomBytes } from "node:crypto";
import type { Sql } from "postgres";
import { DomainError, isDomainError } from "#contracts/errors";
import type { DataKey, DataKeys, TextOwner } from "#event-store/sealing/data-keys";
import { decrypt, encrypt, keyIdOf } from "./envelope.ts";
import { prepareVault } from "./prepare-vault.ts";
import { rememberKeys } from "./remembered-keys.ts";

export interface ErasedKey {
  readonly at: Date;
  readonly by: string;
}

export interface DataKeyVault extends DataKeys {
  /**
   * Erases an owner's key; with an organisation's own, those of all of its sessions. Answers when and by
   * whom that was done, which is an earlier time for a key that was erased before. Other processes may
   * use the key for `lifetimeMs` more.
   */
  erase(owner: TextOwner, by: string): Promise<ErasedKey>;
}

/**
 * How long a key is remembered. An erasure waits for as long; a session that is worked on asks Postgres
 * this often for its key.
 */
const keyLifetimeMs = 10_000;

const tables = /* sql */ `
  CREATE TABLE IF NOT EXISTS vault.data_keys (
    organization_id text NOT NULL,
    -- a session's id, or the organisation's own
    owner text NOT NULL,
    -- of the organisation's own key only: which key has wrapped it
    wrapping_key_id text,
    wrapped_key bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    erased_at timestamptz,
    erased_by text,
    PRIMARY KEY (organization_id, owner),
    CHECK ((wrapped_key IS NULL) = (erased_at IS NOT NULL)),
    CHECK ((erased_at IS NULL) = (erased_by IS NULL))
  );
`;

/** Creates the table if it is not there. */
export const prepareDataKeys = (sql: Sql): Promise<void> => prepareVault(sql, tables);

interface KeyRow {
  readonly organization: string;
  readonly owner: string;
  readonly wrappingKeyId: string | null;
  readonly wrappedKey: Buffer | null;
}

export interface DataKeysOptions {
  /** The table must have been prepared. The connection stays the caller's to close. */
  readonly sql: Sql;
  readonly wrappingKey: Uint8Array;
  readonly lifetimeMs?: number;
}

/** Opens the keys; nothing is asked of the database before the first one is needed. */
export const openDataKeys = ({
  sql,
  wrappingKey,
  lifetimeMs = keyLifetimeMs,
}: DataKeysOptions): DataKeyVault => {
  const rootKeyId = keyIdOf(wrappingKey);

  /** The rows of these owners and of their organisations. */
  const readRows = (owners: readonly TextOwner[]): Promise<readonly KeyRow[]> => {
    const organizations = owners.map(({ organization }) => organization);
    const names = owners.map(({ owner }) => owner);
    return sql<KeyRow[]>`
      SELECT organization_id AS organization, owner,
        wrapping_key_id AS "wrappingKeyId", wrapped_key AS "wrappedKey"
      FROM vault.data_keys
      WHERE (organization_id, owner) IN (
        SELECT * FROM unnest(${organizations}::text[], ${names}::text[])
        UNION SELECT id, id FROM unnest(${organizations}::text[]) AS of(id))`;
  };

  const unwrapOwn = ({ organization, wrappingKeyId, wrappedKey }: KeyRow): Buffer | null => {
    if (wrappedKey === null) return null;
    if (wrappingKeyId !== rootKeyId) {
      throw new DomainError(
        "configuration_invalid",
        "The keys of the log's text were made with another SECRETS_KEY.",
        { fields: { organization } },
      );
    }
    return decrypt(wrappingKey, contextOf({ organization, owner: organization }), wrappedKey);
  };

  const find = async (owners: readonly TextOwner[]): Promise<readonly (DataKey | null)[]> => {
    const rows = new Map((await readRows(owners)).map((row) => [nameOf(row), row]));
    const unwrap = (owner: TextOwner): Buffer | null => {
      const row = rows.get(nameOf(owner));
      if (!row || row.wrappedKey === null) return null;
      if (isOwn(owner)) return unwrapOwn(row);
      const parent = unwrap(ownOf(owner));
      return parent && decrypt(parent, contextOf(owner), row.wrappedKey);
    };
    return owners.map((owner) => dataKeyOf(unwrap(owner)));
  };

  /** The key, made if there is none; null if it was erased. Whoever comes second finds the first one's. */
  const findOrMake = async (owner: TextOwner): Promise<DataKey | null> => {
    const found = await findOne(owner);
    if (found) return found;
    const parent = isOwn(owner) ? null : await remembered.toSeal(ownOf(owner));
    if (!isOwn(owner) && !parent) return null;
    const bytes = randomBytes(32);
    const wrapped = encrypt(parent?.secret.export() ?? wrappingKey, contextOf(owner), bytes);
    const made = await sql`
      INSERT INTO vault.data_keys (organization_id, owner, wrapping_key_id, wrapped_key)
      VALUES (${owner.organization}, ${owner.owner}, ${parent ? null : rootKeyId}, ${wrapped})
      ON CONFLICT DO NOTHING
      RETURNING owner`;
    // What is in the way may be the row of an erased key.
    return made.length === 1 ? dataKeyOf(bytes) : findOne(owner);
  };
  const findOne = async (owner: TextOwner): Promise<DataKey | null> =>
    (await find([owner]))[0] ?? null;

  const remembered = rememberKeys({
    lifetimeMs,
    find: (owners) => answering(find(owners)),
    findOrMake: (owner) => answering(findOrMake(owner)),
  });

  return {
    lifetimeMs,
    toSeal: remembered.toSeal,
    toOpen: remembered.toOpen,
    erase: async (owner, by) => {
      // One statement, so that an organisation's keys are all there or all gone.
      await sql`
        WITH sessions AS (
          UPDATE vault.data_keys SET wrapped_key = NULL, wrapping_key_id = NULL, erased_at = now(), erased_by = ${by}
          WHERE ${isOwn(owner)} AND organization_id = ${owner.organization}
            AND owner <> ${owner.owner} AND erased_at IS NULL
        )
        INSERT INTO vault.data_keys (organization_id, owner, erased_at, erased_by)
        VALUES (${owner.organization}, ${owner.owner}, now(), ${by})
        ON CONFLICT (organization_id, owner) DO UPDATE
          SET wrapped_key = NULL, wrapping_key_id = NULL, erased_at = now(), erased_by = ${by}
          WHERE vault.data_keys.erased_at IS NULL`;
      remembered.forget();
      const [row] = await sql<ErasedKey[]>`
        SELECT erased_at AS at, erased_by AS by FROM vault.data_keys
        WHERE organization_id = ${owner.organization} AND owner = ${owner.owner}`;
      if (!row) throw new Error("The row of an erased key is missing.");
      return row;
    },
  };
};

const isOwn = ({ organization, owner }: TextOwner): boolean => organization === owner;
const ownOf = ({ organization }: TextOwner): TextOwner => ({ organization, owner: organization });
const nameOf = ({ organization, owner }: TextOwner): string => `${organization}/${owner}`;

/** A row that was copied to another owner does not open. */
const contextOf = ({ organization, owner }: TextOwner): string =>
  JSON.stringify(["data-key", organization, owner]);

const dataKeyOf = (bytes: Buffer | null): DataKey | null =>
  bytes && { id: keyIdOf(bytes), secret: createSecretKey(bytes) };

/** Whatever Postgres says instead of an answer: the log cannot be read or written for now. */
const answering = async <T>(asked: Promise<T>): Promise<T> => {
  try {
    return await asked;
  } catch (cause) {
    if (isDomainError(cause)) throw cause;
    throw new DomainError("log_unavailable", "The keys of the log's text cannot be read.", {
      cause,
    });
  }
};
