/** A value of JSON with each of its texts cut to so many UTF-16 units; keys stay as they are. */
export const cutTexts = (value: unknown, longest: number): unknown => {
  if (typeof value === "string") return value.slice(0, longest);
  if (Array.isArray(value)) return value.map((inner) => cutTexts(inner, longest));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, cutTexts(inner, longest)]),
  );
};

export const jsonLength = (value: unknown): number => JSON.stringify(value).length;
