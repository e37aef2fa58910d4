import { expect, it } from "vitest";
import { isLinearSchema } from "./linear-schema.ts";

const object = (properties: Record<string, unknown>) => ({
  type: "object",
  properties,
  required: ["a"],
  additionalProperties: false,
});

it.each([
  true,
  {},
  object({ a: { type: "string", maxLength: 10, description: "a name" } }),
  object({ a: { type: "array", items: object({ b: { enum: ["x", "y"] } }), maxItems: 3 } }),
  { type: "object", additionalProperties: { type: ["number", "null"], minimum: 0 } },
])("trusts %j", (schema) => {
  expect(isLinearSchema(schema)).toBe(true);
});

it.each([
  { type: "string", pattern: "^(a+)+$" },
  { type: "string", format: "email" },
  object({ a: { $ref: "#" } }),
  object({ a: { anyOf: [{ type: "string" }, { type: "number" }] } }),
  { type: "array", items: { oneOf: [] } },
  { type: "array", uniqueItems: true },
  { type: "object", patternProperties: { "^(a+)+$": {} } },
  { type: "object", additionalProperties: { pattern: "^(a+)+$" } },
  { type: "object", unheardOf: {} },
  [],
  "string",
  null,
])("does not trust %j", (schema) => {
  expect(isLinearSchema(schema)).toBe(false);
});
