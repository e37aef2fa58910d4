/** A delivery's body as matching and templates see it. */

/** The parsed JSON; undefined when the body is not JSON, which then has no fields. */
export const parseBody = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    // A producer may send what it likes: a trigger without a filter still matches it.
    return undefined;
  }
};

/** A field of an object, own fields only; undefined for everything else. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
