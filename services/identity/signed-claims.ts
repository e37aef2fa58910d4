/** Signed tokens (JWT, RFC 7519, HS256): who is told apart by audience, and what is in one by its schema. */
import { errors, jwtVerify, SignJWT } from "jose";
import type { z } from "zod";
import { DomainError } from "#contracts/errors";

const issuer = "proliferate";

export interface TokenKind<Claims extends z.ZodType> {
  readonly audience: string;
  readonly claims: Claims;
  /** What people call it. */
  readonly name: string;
}

/** Tokens tell time in whole seconds. */
export const secondsOf = (instant: Date): number => Math.floor(instant.getTime() / 1000);

export const signClaims = <Claims extends z.ZodType>(
  { audience }: TokenKind<Claims>,
  key: Uint8Array,
  claims: z.infer<Claims> & Record<string, string>,
  { now, expiresAt }: { readonly now: Date; readonly expiresAt: Date },
): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(secondsOf(now))
    .setExpirationTime(secondsOf(expiresAt))
    .sign(key);

/** @throws DomainError `token_expired`, `unauthenticated` */
export const verifyClaims = async <Claims extends z.ZodType>(
  { audience, claims, name }: TokenKind<Claims>,
  key: Uint8Array,
  token: string,
  now: Date,
): Promise<z.infer<Claims>> => {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["HS256"],
      issuer,
      audience,
      requiredClaims: ["exp", "iat", "sub"],
      currentDate: now,
    });
    return claims.parse(payload);
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw new DomainError("token_expired", `The ${name} has expired.`, { cause: error });
    }
    throw new DomainError("unauthenticated", `The ${name} is not valid.`, { cause: error });
  }
};
