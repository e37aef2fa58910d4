/** What becomes of any result at all: it is cut to its size and stays JSON, and no secret is left in it. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { completed, maxResultBytes } from "./outcome.ts";
import { type Json, redactJson } from "./redact-result.ts";
import { truncateJson } from "./truncate.ts";

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const names = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom("__proto__", "[truncated]"));
/** Small and large, flat and deep; the texts have every character, and halves of them, too. */
const jsonWith = (leaves: fc.Arbitrary<Json>, keys: fc.Arbitrary<string> = names) =>
  fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      leaves,
      fc.array(tie("json"), { maxLength: 10 }),
      fc
        .array(fc.tuple(keys, tie("json")), { maxLength: 10 })
        .map((fields): Json => Object.fromEntries(fields) as Record<string, Json>),
    ),
  })).json;
const plainLeaves: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1.5e300),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .tuple(fc.constantFrom("x", "🦀", "\u0000", '"', "é"), fc.nat({ max: 12_000 }))
    .map(([character, count]) => character.repeat(count)),
);

it("cuts any JSON to any size and leaves JSON, and what fits as it is", () => {
  fc.assert(
    fc.property(jsonWith(plainLeaves), fc.integer({ min: 16, max: 40_000 }), (value, limit) => {
      const { value: cut, truncated } = truncateJson(value, limit);
      expect(bytes(cut)).toBeLessThanOrEqual(limit);
      expect(JSON.parse(JSON.stringify(cut))).toEqual(cut);
      expect(truncated).toBe(bytes(value) > limit);
      if (!truncated) expect(cut).toBe(value);
    }),
    { numRuns: 120 },
  );
});

const secret = "q7Zs3cr3tq7Zs3cr3t";
/** By what it looks like, wherever in a text it stands. */
const shaped = fc
  .tuple(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      `Bearer ${secret}`,
      `Basic ${secret}`,
      `ghp_${secret}`,
      `sk-${secret}`,
      `xoxb-${secret}`,
      `lin_api_${secret}`,
      `sntrys_${secret}`,
      `https://user:${secret}@host.example/`,
      `api_key=${secret}`,
      `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`,
    ),
    fc.string({ maxLength: 20 }),
  )
  .map(([before, text, after]) => `${before} ${text} ${after}`);
/** By the name of its field, whatever it looks like and however deep in there. */
const named = fc
  .tuple(
    fc.constantFrom("token", "access_token", "clientSecret", "PASSWORD", "x-api-key", "Set-Cookie"),
    fc.oneof(fc.constant(secret), fc.constant([secret]), fc.constant({ value: { of: secret } })),
  )
  .map(([name, value]): Json => ({ [name]: value }));

it("leaves no secret in any JSON, neither in a value nor in a name, and changes nothing twice", () => {
  const json = jsonWith(fc.oneof(plainLeaves, shaped, named), fc.oneof(names, shaped));
  fc.assert(
    fc.property(json, (value) => {
      const clean = redactJson(value);
      expect(JSON.stringify(clean)).not.toContain(secret);
      expect(redactJson(clean)).toEqual(clean);
      const { command } = completed(value, 1);
      expect(JSON.stringify(command)).not.toContain(secret);
      expect(bytes(command.result)).toBeLessThanOrEqual(maxResultBytes);
    }),
    { numRuns: 120 },
  );
});

it("takes nothing but secrets away", () => {
  const harmless = fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom(null, "grüße", "a b c"));
  const json = jsonWith(harmless, fc.constantFrom("id", "name", "tokens_used_in_all", "author"));
  fc.assert(
    fc.property(json, (value) => {
      expect(redactJson(value)).toEqual(value);
    }),
  );
});
