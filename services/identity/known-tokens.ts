import { decodeJwt } from "jose";
import { hash } from "node:crypto";
import { secondsOf } from "./signed-claims.ts";
import type { AccessClaims } from "./signed-tokens.ts";

const largest = 10_000;

export type VerifyToken = (token: string, now: Date) => Promise<AccessClaims>;

/**
 * Verifies each token once: one that was good is good until it expires, for nothing but time ends a signed
 * token. Of a token only its hash is remembered. One that was refused is verified anew each time.
 */
export const rememberingTokens = (verify: VerifyToken): VerifyToken => {
  const known = new Map<
    string,
    {
      /** In whole seconds, as tokens tell time. */
      readonly until: number;
      readonly claims: AccessClaims;
    }
  >();
  return async (token, now) => {
    const name = hash("sha256", token);
    const remembered = known.get(name);
    if (remembered && remembered.until > secondsOf(now)) return remembered.claims;
    known.delete(name);
    const claims = await verify(token, now);
    known.set(name, { until: decodeJwt(token).exp ?? 0, claims });
    const [oldest] = known.keys();
    if (known.size > largest && oldest !== undefined) known.delete(oldest);
    return claims;
  };
};
