/**
 * The token of a link that decides on one invocation: one decision, in one person's name, until the request
 * expires. That it can be used once only follows from the invocation, which is decided on once.
 */
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import { signClaims, type TokenKind, verifyClaims } from "../../identity/signed-claims.ts";

const approvalLink = {
  audience: "proliferate-approval-link",
  claims: z.object({
    sub: idSchema("user"),
    org: idSchema("organization"),
    ses: idSchema("session"),
    inv: idSchema("invocation"),
    dec: z.enum(["approve", "deny"]),
  }),
  name: "link",
} as const satisfies TokenKind<z.ZodType>;

export type ApprovalLinkClaims = z.infer<typeof approvalLink.claims>;

export const signApprovalLink = (
  key: Uint8Array,
  claims: ApprovalLinkClaims,
  times: { readonly now: Date; readonly expiresAt: Date },
): Promise<string> => signClaims(approvalLink, key, claims, times);

/** @throws DomainError `token_expired`, `unauthenticated` */
export const verifyApprovalLink = (
  key: Uint8Array,
  token: string,
  now: Date,
): Promise<ApprovalLinkClaims> => verifyClaims(approvalLink, key, token, now);
