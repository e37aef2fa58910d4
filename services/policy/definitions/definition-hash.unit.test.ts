import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { definitionHashOf } from "./definition-hash.ts";

type Schema = Record<string, unknown>;

const hash = (params: Schema, description = ""): string =>
  definitionHashOf({ id: "send", description, risk: "write", params });

const volatile = ["description", "title", "default", "enum", "examples", "$comment"] as const;
const words = fc.oneof(fc.string({ maxLength: 5 }), fc.array(fc.jsonValue(), { maxLength: 2 }));
const names = fc.oneof(
  fc.string({ minLength: 1, maxLength: 5 }),
  fc.constantFrom(...volatile, "__proto__", "properties"),
);
const types = ["string", "number", "boolean", "null"] as const;

/** Schemas as servers write them, whose parameters may be called as keywords are. */
const schemas = fc.letrec<{ schema: Schema }>((tie) => {
  const leaf = fc.record<Schema>({ type: fc.constantFrom(...types) });
  const list = fc.record<Schema>({ type: fc.constant("array"), items: tie("schema") });
  const object = fc.record<Schema>({
    type: fc.constant("object"),
    properties: fc
      .array(fc.tuple(names, tie("schema")), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
    required: fc.array(names, { maxLength: 3 }),
  });
  const choice = fc.record<Schema>({ anyOf: fc.array(tie("schema"), { maxLength: 3 }) });
  return { schema: fc.oneof({ maxDepth: 4 }, leaf, object, list, choice) };
}).schema;

/** How a schema may be worded anew: at each of its schemas, other words and its fields the other way round. */
const reworded = (schema: unknown, keyword: string, word: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map((each) => reworded(each, keyword, word));
  if (typeof schema !== "object" || schema === null) return schema;
  const fields = Object.entries(schema).map(([name, value]): [string, unknown] => [
    name,
    name === "properties"
      ? mapValues(value as Schema, (each) => reworded(each, keyword, word))
      : reworded(value, keyword, word),
  ]);
  return Object.fromEntries([[keyword, word], ...fields.reverse()]);
};
const mapValues = (record: Schema, change: (value: unknown) => unknown): Schema =>
  Object.fromEntries(
    Object.entries(record)
      .reverse()
      .map(([name, value]) => [name, change(value)]),
  );

describe("the hash of a definition", () => {
  it("stays for any schema where only order, words, defaults and choices change", () => {
    fc.assert(
      fc.property(schemas, fc.constantFrom(...volatile), words, (schema, keyword, word) => {
        expect(hash(reworded(schema, keyword, word) as Schema, "other words")).toBe(hash(schema));
      }),
    );
  });

  it("changes for any schema with a parameter more, and with another type of one", () => {
    fc.assert(
      fc.property(schemas, names, (schema, name) => {
        const of = (type: string) =>
          hash({ allOf: [schema], properties: Object.fromEntries([[name, { type }]]) });
        const all = [hash({ allOf: [schema], properties: {} }), ...types.map(of)];
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it.each([
    ["its name", { id: "post" }],
    ["its risk", { risk: "danger" }],
    ["what is required", { params: { type: "object", required: ["channel"] } }],
  ] as const)("changes with %s", (_what, change) => {
    const params = { type: "object", required: [] };
    const send = { id: "send", description: "", risk: "write", params } as const;
    expect(definitionHashOf({ ...send, ...change })).not.toBe(definitionHashOf(send));
  });
});
