/**
 * Whether checking a value against a JSON Schema takes no longer than reading the value: no patterns, which may
 * backtrack for ever, no references, which may go in circles, and no alternatives, which are tried one after the
 * other at each level. Anything that is not known here counts as slow.
 */
export const isLinearSchema = (schema: unknown): boolean => {
  if (typeof schema === "boolean") return true;
  if (!isRecord(schema)) return false;
  return Object.entries(schema).every(
    ([keyword, value]) =>
      plain.has(keyword) ||
      (ofOneSchema.has(keyword) && isLinearSchema(value)) ||
      (keyword === "properties" && isRecord(value) && Object.values(value).every(isLinearSchema)),
  );
};

const plain = new Set([
  ...["type", "enum", "const", "required", "title", "description", "default", "examples"],
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
]);

const ofOneSchema = new Set(["items", "additionalProperties", "propertyNames"]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
