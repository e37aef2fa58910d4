/**
 * Tokens of other programs (JWT): for one organisation, with scopes and an end, and void as soon as they are
 * revoked. A program is a member of the organisation under a name of its own, so what it does has an author.
 * Rows are never deleted: they tell who was let in, by whom, and until when; the log tells the same for audits.
 */
import type { Sql } from "postgres";
import { z } from "zod";
import type { Actor } from "#contracts/actor";
import { DomainError } from "#contracts/errors";
import {
  idSchema,
  newId,
  type OrganizationId,
  type ServiceTokenId,
  type UserId,
} from "#contracts/ids";
import { type ServiceScope, serviceScopeSchema } from "#contracts/identity/service-scope";
import { execute } from "#event-store/aggregates/execute";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { prepareIdentityTables } from "../schema.ts";
import { signClaims, type TokenKind, verifyClaims } from "../signed-claims.ts";
import { serviceTokenAggregate } from "./decider.ts";

/** Tells a service's token from a person's before it is verified. */
export const serviceTokenPrefix = "svc1.";

const kind = {
  audience: "proliferate-service",
  claims: z.object({ sub: idSchema("user"), jti: idSchema("service_token") }),
  name: "service token",
} as const satisfies TokenKind<z.ZodType>;

const serviceTokenSchema = z.object({
  id: idSchema("service_token"),
  userId: idSchema("user"),
  organizationId: idSchema("organization"),
  /** Of the program. */
  name: z.string(),
  scopes: z.array(serviceScopeSchema),
  createdAt: z.date(),
  /** Who let the program in: the id of the actor; null for tokens from before that was kept. */
  issuedBy: z.string().nullable(),
  expiresAt: z.date(),
  revokedAt: z.date().nullable(),
  revokedBy: z.string().nullable(),
});
export type ServiceToken = z.infer<typeof serviceTokenSchema>;

export interface ServiceTokenOrder {
  readonly organizationId: OrganizationId;
  /** Of the program; the same name again is the same program. */
  readonly name: string;
  readonly scopes: readonly ServiceScope[];
  readonly expiresAt: Date;
  /** Who orders it. */
  readonly by: Actor;
}

export interface ServiceTokens {
  /**
   * A new token, told this once. @throws DomainError `request_invalid` for an organisation that does not exist
   */
  issue(order: ServiceTokenOrder): Promise<{ readonly id: ServiceTokenId; readonly token: string }>;
  /** All that the organisation ever had, newest first. */
  list(organization: OrganizationId): Promise<readonly ServiceToken[]>;
  /** From now on it lets nobody in. False when there is no such token, or it is revoked already. */
  revoke(id: ServiceTokenId, by: Actor): Promise<boolean>;
  /** Whose token this is. @throws DomainError `unauthenticated`, `token_expired` */
  verify(token: string): Promise<ServiceToken>;
}

export interface ServiceTokensOptions {
  readonly store: EventStore;
  readonly sql: Sql;
  /** The key of service tokens; see `secrets/keys.ts`. */
  readonly key: Uint8Array;
  readonly now?: () => Date;
}

/** Prepares the tables and answers the functions on them. The connection stays the caller's to close. */
export const openServiceTokens = async ({
  store,
  sql,
  key,
  now = () => new Date(),
}: ServiceTokensOptions): Promise<ServiceTokens> => {
  await prepareIdentityTables(sql);
  const select = sql`
    SELECT t.id, t.user_id AS "userId", u.organization_id AS "organizationId", u.name, t.scopes,
      t.created_at AS "createdAt", t.issued_by AS "issuedBy", t.expires_at AS "expiresAt",
      t.revoked_at AS "revokedAt", t.revoked_by AS "revokedBy"
    FROM identity.service_tokens t JOIN identity.users u ON u.id = t.user_id`;
  return {
    issue: async ({ organizationId, name, scopes, expiresAt, by }) => {
      const id = newId("service_token");
      const userId = await sql.begin(async (tx) => {
        const [known] = await tx`SELECT 1 FROM identity.organizations WHERE id = ${organizationId}`;
        if (!known) throw new DomainError("request_invalid", "There is no such organisation.");
        // Nobody signs in with it: addresses below `invalid` are never anybody's (RFC 2606).
        const email = `${name}@${organizationId}.invalid`;
        await tx`
          INSERT INTO identity.users (id, organization_id, email, name, role)
          VALUES (${newId("user")}, ${organizationId}, ${email}, ${name}, 'member')
          ON CONFLICT (lower(email)) DO NOTHING`;
        const [user] = await tx<{ id: UserId }[]>`
          SELECT id FROM identity.users WHERE lower(email) = lower(${email})`;
        if (!user) throw new Error(`The service ${name} was inserted and is not there.`);
        return user.id;
      });
      // First on record, then good: a token that nobody answers for lets nobody in, whenever this process dies.
      const facts = { userId, name, scopes, expiresAt: expiresAt.toISOString() };
      await execute(
        store,
        serviceTokenAggregate,
        { organization: organizationId, id },
        { type: "IssueServiceToken", ...facts },
        newCommandMeta({ actor: by }),
      );
      await sql`
        INSERT INTO identity.service_tokens (id, user_id, scopes, created_at, issued_by, expires_at)
        VALUES (${id}, ${userId}, ${[...scopes]}, ${now()}, ${by.id}, ${expiresAt})`;
      const claims = { sub: userId, jti: id };
      const token = await signClaims(kind, key, claims, { now: now(), expiresAt });
      return { id, token: `${serviceTokenPrefix}${token}` };
    },
    list: async (organization) => {
      const rows = await sql`
        ${select} WHERE u.organization_id = ${organization} ORDER BY t.created_at DESC, t.id DESC`;
      return rows.map((row) => serviceTokenSchema.parse(row));
    },
    revoke: async (id, by) => {
      // First void, then on record: whoever is to be shut out is not let in because the log does not answer.
      const revoked = await sql`
        UPDATE identity.service_tokens SET revoked_at = ${now()}, revoked_by = ${by.id}
        WHERE id = ${id} AND revoked_at IS NULL`;
      const [row] = await sql`${select} WHERE t.id = ${id}`;
      if (!row) return false;
      // For a token that was revoked before, too: it may be that only the record was missing.
      await execute(
        store,
        serviceTokenAggregate,
        { organization: serviceTokenSchema.parse(row).organizationId, id },
        { type: "RevokeServiceToken" },
        newCommandMeta({ actor: by }),
      );
      return revoked.count > 0;
    },
    verify: async (token) => {
      const jwt = token.slice(serviceTokenPrefix.length);
      const { jti } = await verifyClaims(kind, key, jwt, now());
      const [row] = await sql`${select} WHERE t.id = ${jti} AND t.revoked_at IS NULL`;
      if (!row) throw new DomainError("unauthenticated", "The service token was revoked.");
      return serviceTokenSchema.parse(row);
    },
  };
};
