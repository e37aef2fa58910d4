/**
 * The token of a link that decides on one invocation: one decision, in one person's name, until the request
 * expires. That it can be used once only follows from the invocation, which is decided on once.
 */
import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { idSchema } from "#contracts/ids";

const issuer = "proliferate";
const audience = "proliferate-approval-link";

const claimsSchema = z.object({
  sub: idSchema("user"),
  org: idSchema("organization"),
  ses: idSchema("session"),
  inv: idSchema("invocation"),
  dec: z.enum(["approve", "deny"]),
});

export type ApprovalLinkClaims = z.infer<typeof claimsSchema>;

export const signApprovalLink = (
  key: Uint8Array,
  claims: ApprovalLinkClaims,
  { now, expiresAt }: { readonly now: Date; readonly expiresAt: Date },
): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(expiresAt)
    .sign(key);

/** @throws DomainError `token_expired`, `unauthenticated` */
export const verifyApprovalLink = async (
  key: Uint8Array,
  token: string,
  now: Date,
): Promise<ApprovalLinkClaims> => {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["HS256"],
      issuer,
      audience,
      requiredClaims: ["exp", "iat", "sub"],
      currentDate: now,
    });
    return claimsSchema.parse(payload);
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw new DomainError("token_expired", "The link has expired.", { cause: error });
    }
    throw new DomainError("unauthenticated", "The link is not valid.", { cause: error });
  }
};
