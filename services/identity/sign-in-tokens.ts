/** One-time tokens for a sign-in: 256 random bits, of which only the hash is stored. */
import { createHash, randomBytes } from "node:crypto";
import type { Sql } from "postgres";
import { DomainError } from "#contracts/errors";
import type { UserId } from "#contracts/ids";

const prefix = "psi_";
const lifetimeMs = 24 * 60 * 60 * 1000;

export interface SignInTokens {
  /** A new token of the user, good once within 24 hours. */
  issue(user: UserId): Promise<string>;
  /** Whose token it is; it is void afterwards. @throws DomainError `unauthenticated`, `token_expired` */
  redeem(token: string): Promise<UserId>;
}

/** @param now the clock, so that tests need not wait */
export const createSignInTokens = (sql: Sql, now: () => Date): SignInTokens => ({
  issue: async (user) => {
    const token = `${prefix}${randomBytes(32).toString("base64url")}`;
    const expiresAt = new Date(now().getTime() + lifetimeMs);
    // Whoever prints a token at each start would fill the table otherwise.
    await sql`DELETE FROM identity.sign_in_tokens WHERE user_id = ${user} AND expires_at <= ${now()}`;
    await sql`
      INSERT INTO identity.sign_in_tokens (token_hash, user_id, expires_at)
      VALUES (${hashOf(token)}, ${user}, ${expiresAt})`;
    return token;
  },
  redeem: async (token) => {
    // One statement, so that of two sign-ins at the same time only one finds the token unused.
    const [row] = await sql<{ user_id: UserId; expires_at: Date }[]>`
      UPDATE identity.sign_in_tokens SET used_at = ${now()}
      WHERE token_hash = ${hashOf(token)} AND used_at IS NULL
      RETURNING user_id, expires_at`;
    if (!row)
      throw new DomainError("unauthenticated", "This sign-in token is not good, or not any more.");
    if (row.expires_at <= now())
      throw new DomainError("token_expired", "The sign-in token has expired.");
    return row.user_id;
  },
});

/** A plain hash is enough for what nobody can guess. */
const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();
