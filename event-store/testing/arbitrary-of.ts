/** Arbitrary valid values of a zod schema, for property tests; made from its JSON Schema. */
import fc from "fast-check";
import { z } from "zod";

/** The part of JSON Schema that our schemas come out as. */
interface JsonSchema {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: false | JsonSchema;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Values that the schema accepts. Throws for a schema with something that is not provided for here. */
export const arbitraryOf = <Schema extends z.ZodType>(
  schema: Schema,
): fc.Arbitrary<z.infer<Schema>> =>
  (arbitraryOfJson(z.toJSONSchema(schema) as JsonSchema) as fc.Arbitrary<z.infer<Schema>>)
    // JSON Schema knows nothing of a schema's own checks.
    .filter((value) => schema.safeParse(value).success);

const arbitraryOfJson = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return fc.oneof(...choices.map(arbitraryOfJson));
  if (typeof schema.type === "object") {
    return fc.oneof(...schema.type.map((type) => arbitraryOfJson({ ...schema, type })));
  }
  switch (schema.type) {
    case undefined:
      return anyJson;
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return numbers(schema);
    case "string":
      return strings(schema);
    case "array":
      return fc.array(arbitraryOfJson(schema.items ?? {}), { maxLength: 5 });
    case "object":
      return objects(schema);
    default:
      throw new Error(`No arbitrary for ${JSON.stringify(schema)}.`);
  }
};

const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ depthSize: "small", maxDepth: 3 });

/** Mostly from a small range, so that values of one run meet each other. */
const numbers = ({
  type,
  minimum,
  exclusiveMinimum,
  maximum,
}: JsonSchema): fc.Arbitrary<number> => {
  const least = minimum ?? (exclusiveMinimum === undefined ? -1_000_000 : exclusiveMinimum + 1);
  const small = fc.integer({ min: least, max: least + 3 });
  return type === "integer"
    ? fc.oneof(
        { weight: 3, arbitrary: small },
        fc.integer({ min: least, max: Math.min(maximum ?? Infinity, Number.MAX_SAFE_INTEGER) }),
      )
    : fc.oneof(small, fc.double({ min: least, max: 1e12, noNaN: true }));
};

/** Texts with a pattern are ids and instants: few different ones, so that events speak of the same. */
const strings = ({ pattern, minLength = 0, maxLength = 40 }: JsonSchema): fc.Arbitrary<string> =>
  pattern === undefined
    ? fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 40), size: "small" })
    : fc.constantFrom(
        ...fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: 1, numRuns: 4 }),
      );

const objects = (schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> => {
  const { properties = {}, required = [], propertyNames, additionalProperties } = schema;
  if (additionalProperties) {
    const keys = strings(propertyNames ?? {});
    return fc.dictionary(
      // Zod drops a field of this name.
      keys.filter((key) => key !== "__proto__"),
      arbitraryOfJson(additionalProperties),
      { maxKeys: 4 },
    );
  }
  return fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, arbitraryOfJson(value)]),
    ),
    { requiredKeys: [...required] },
  );
};
