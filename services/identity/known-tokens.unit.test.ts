import { expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { rememberingTokens } from "./known-tokens.ts";
import { signAccessToken, verifyAccessToken } from "./signed-tokens.ts";

const key = new Uint8Array(32).fill(7);
const now = new Date("2026-01-01T00:00:00.500Z");
const claims = { sub: newId("user"), org: newId("organization"), role: "admin" } as const;

const remembering = () => {
  const verify = vi.fn((token: string, at: Date) => verifyAccessToken(key, token, at));
  return { verify, claimsOf: rememberingTokens(verify) };
};

it("verifies a token once, and no longer believes it than it lasts", async () => {
  const { verify, claimsOf } = remembering();
  const { token, expiresAt } = await signAccessToken(key, claims, now);
  const lastMoment = new Date(Date.parse(expiresAt) - 1);
  expect(await claimsOf(token, now)).toEqual(claims);
  expect(await claimsOf(token, lastMoment)).toEqual(claims);
  expect(verify).toHaveBeenCalledTimes(1);
  await expect(claimsOf(token, new Date(expiresAt))).rejects.toMatchObject({
    code: "token_expired",
  });
});

it("takes no other token for one that it knows", async () => {
  const { claimsOf } = remembering();
  const { token } = await signAccessToken(key, claims, now);
  const other = { ...claims, sub: newId("user") };
  const { token: others } = await signAccessToken(key, other, now);
  expect(await claimsOf(token, now)).toEqual(claims);
  expect(await claimsOf(others, now)).toEqual(other);
  const [header, , signature] = token.split(".");
  const forged = [header, others.split(".")[1], signature].join(".");
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(claimsOf(forged, now)).rejects.toMatchObject({ code: "unauthenticated" });
  }
});
