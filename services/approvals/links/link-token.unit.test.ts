import { expect, it } from "vitest";
import { derivedId } from "#contracts/ids";
import { type ApprovalLinkClaims, signApprovalLink, verifyApprovalLink } from "./link-token.ts";

const key = new Uint8Array(32).fill(7);
const now = new Date("2026-01-01T00:00:00Z");
const expiresAt = new Date("2026-01-01T00:05:00Z");
const claims: ApprovalLinkClaims = {
  sub: derivedId("user", "1"),
  org: derivedId("organization", "1"),
  ses: derivedId("session", "1"),
  inv: derivedId("invocation", "1"),
  dec: "approve",
};

it("is good until the request expires, and for this purpose only", async () => {
  const token = await signApprovalLink(key, claims, { now, expiresAt });
  expect(await verifyApprovalLink(key, token, now)).toMatchObject(claims);
  await expect(verifyApprovalLink(key, token, expiresAt)).rejects.toMatchObject({
    code: "token_expired",
  });
  const otherKey = new Uint8Array(32).fill(8);
  await expect(verifyApprovalLink(otherKey, token, now)).rejects.toMatchObject({
    code: "unauthenticated",
  });
});
