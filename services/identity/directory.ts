/** Organisations and their people. */
import postgres, { type ISql, type Sql } from "postgres";
import { DomainError } from "#contracts/errors";
import { newId, type OrganizationId, type UserId } from "#contracts/ids";
import { type Role, type UserView, userViewSchema } from "#contracts/identity/principal";
import { identityLock, prepareIdentityTables } from "./schema.ts";

export interface Person {
  readonly email: string;
  readonly name: string;
}

export interface Directory {
  /** Creates an organisation with its owner. @throws DomainError `user_exists` */
  createOrganization(organization: {
    readonly name: string;
    readonly owner: Person;
  }): Promise<UserView>;
  /** @throws DomainError `user_exists` */
  addUser(organization: OrganizationId, user: Person & { readonly role: Role }): Promise<UserView>;
  findUser(id: UserId): Promise<UserView | null>;
  /** However it is capitalised. */
  findUserByEmail(email: string): Promise<UserView | null>;
  /** The oldest owner; creates the organisation "Default" and its owner when there is nobody at all. */
  ensureFirstOwner(): Promise<UserView>;
}

const firstOwner = { email: "owner@localhost.localdomain", name: "Owner" } as const;
const uniqueViolation = "23505";

/** Prepares the tables and answers the functions on them. The connection stays the caller's to close. */
export const openDirectory = async (sql: Sql): Promise<Directory> => {
  await prepareIdentityTables(sql);
  return {
    createOrganization: ({ name, owner }) =>
      refusingKnownEmail(sql.begin((tx) => insertOrganization(tx, name, owner))),
    addUser: (organization, user) => refusingKnownEmail(insertUser(sql, organization, user)),
    findUser: (id) => findUser(sql, id),
    findUserByEmail: async (email) => {
      const [row] = await sql<{ id: UserId }[]>`
        SELECT id FROM identity.users WHERE lower(email) = lower(${email})`;
      return row ? findUser(sql, row.id) : null;
    },
    ensureFirstOwner: () =>
      sql.begin(async (tx) => {
        // Two processes that start on an empty database make one owner.
        await tx`SELECT pg_advisory_xact_lock(${identityLock})`;
        const [row] = await tx<{ id: UserId }[]>`
          SELECT id FROM identity.users WHERE role = 'owner' ORDER BY created_at, id LIMIT 1`;
        const owner = row && (await findUser(tx, row.id));
        return owner ?? (await insertOrganization(tx, "Default", firstOwner));
      }),
  };
};

const insertOrganization = async (tx: ISql, name: string, owner: Person): Promise<UserView> => {
  const id = newId("organization");
  await tx`INSERT INTO identity.organizations (id, name) VALUES (${id}, ${name})`;
  return insertUser(tx, id, { ...owner, role: "owner" });
};

const insertUser = async (
  sql: ISql,
  organization: OrganizationId,
  { email, name, role }: Person & { readonly role: Role },
): Promise<UserView> => {
  const id = newId("user");
  await sql`
    INSERT INTO identity.users (id, organization_id, email, name, role)
    VALUES (${id}, ${organization}, ${email}, ${name}, ${role})`;
  const user = await findUser(sql, id);
  if (!user) throw new Error(`The user ${id} was inserted and is not there.`);
  return user;
};

const findUser = async (sql: ISql, id: UserId): Promise<UserView | null> => {
  const [row] = await sql`
    SELECT u.id, u.organization_id AS "organizationId", o.name AS "organizationName", u.email, u.name, u.role
    FROM identity.users u JOIN identity.organizations o ON o.id = u.organization_id
    WHERE u.id = ${id}`;
  return row ? userViewSchema.parse(row) : null;
};

const refusingKnownEmail = async <T>(insertion: Promise<T>): Promise<T> => {
  try {
    return await insertion;
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === uniqueViolation) {
      throw new DomainError("user_exists", "Somebody has this e-mail address already.", {
        cause: error,
      });
    }
    throw error;
  }
};
