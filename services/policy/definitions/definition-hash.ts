/** What an action is, in a hash: two definitions have the same one if they mean the same to a caller. */
import type { ActionDefinition } from "#contracts/actions/definition";
import { fingerprintOf } from "../../sessions/fingerprint.ts";

/** What servers fill with whatever is so today, and what does not change what an action does. */
const volatileKeywords = new Set([
  "description",
  "title",
  "default",
  "enum",
  "examples",
  "$comment",
]);

/** Schemas are as deep as another's server makes them. */
const maxDepth = 32;

/** Hashes live as long as the definition that they came from. */
const hashes = new WeakMap<object, string>();

/**
 * SHA-256, in hex, of an action's name, risk and parameters, whatever the order of their fields, and
 * without descriptions, defaults and enumerations. What lies deeper than 32 levels is not looked at.
 */
export const definitionHashOf = (definition: ActionDefinition): string => {
  const known = hashes.get(definition);
  if (known !== undefined) return known;
  const { id, risk, params } = definition;
  const hash = fingerprintOf({ id, risk, params: normalSchema(params, 0) });
  hashes.set(definition, hash);
  return hash;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A schema without what is volatile. */
const normalSchema = (schema: unknown, depth: number): unknown => {
  if (depth > maxDepth) return null;
  if (Array.isArray(schema)) return schema.map((each) => normalSchema(each, depth + 1));
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !volatileKeywords.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => [
      keyword,
      namedSchemas.has(keyword) ? eachSchema(value, depth + 1) : normalSchema(value, depth + 1),
    ]),
  );
};

/** Keywords whose fields are names that somebody chose: a parameter may well be called `default`. */
const namedSchemas = new Set(["properties", "patternProperties", "$defs", "definitions"]);

const eachSchema = (value: unknown, depth: number): unknown =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, schema]) => [name, normalSchema(schema, depth)]),
      )
    : value;
