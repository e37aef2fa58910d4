import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newId } from "#contracts/ids";
import { deriveSandboxToken, verifySandboxToken } from "./token.ts";

const secret = "0123456789abcdef0123456789abcdef";
const now = new Date("2026-01-02T03:04:05Z");
const identity = { sessionId: newId("session"), organizationId: newId("organization") };
const refused = (code: string): unknown => expect.objectContaining({ code });

describe("a sandbox token", () => {
  test("is derived: the same every time, and tells whose it is", () => {
    const token = deriveSandboxToken({ secret, ...identity });
    expect(token).toMatch(/^sbx1\.[\w-]+\.[\w-]{43}$/);
    expect(deriveSandboxToken({ secret, ...identity })).toBe(token);
    expect(verifySandboxToken(token, secret, now)).toEqual(identity);
  });

  test("is void from the second of its expiry on", () => {
    const token = deriveSandboxToken({ secret, ...identity, expiresAt: now });
    expect(verifySandboxToken(token, secret, new Date(now.getTime() - 1))).toEqual(identity);
    expect(() => verifySandboxToken(token, secret, now)).toThrow(refused("token_expired"));
  });

  test("does not pass with another secret, not even after its expiry", () => {
    const token = deriveSandboxToken({
      secret: secret.toUpperCase(),
      ...identity,
      expiresAt: new Date(0),
    });
    expect(() => verifySandboxToken(token, secret, now)).toThrow(refused("sandbox_token_invalid"));
  });

  test("does not pass with any one character changed", () => {
    const token = deriveSandboxToken({ secret, ...identity });
    const anyCharacter = fc.constantFrom(..."ABCXYZabcxyz0189-_.=");
    fc.assert(
      fc.property(fc.nat(token.length - 1), anyCharacter, (index, character) => {
        const forged = token.slice(0, index) + character + token.slice(index + 1);
        fc.pre(forged !== token);
        expect(() => verifySandboxToken(forged, secret, now)).toThrow(
          refused("sandbox_token_invalid"),
        );
      }),
    );
  });

  test.each(["", "sbx1", "sbx1..", "sbx2.e30.e30", "a.b.c.d", "sbx1.\u0000.é"])(
    "is not %j",
    (token) => {
      expect(() => verifySandboxToken(token, secret, now)).toThrow(
        refused("sandbox_token_invalid"),
      );
    },
  );

  test("is not made with a short secret", () => {
    expect(() => deriveSandboxToken({ secret: "short", ...identity })).toThrow(
      refused("configuration_invalid"),
    );
  });
});
