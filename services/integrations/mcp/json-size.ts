/** Measures JSON that somebody else has made, without a step that its depth could break. Pure. */
export interface JsonLimits {
  /** Levels of objects and lists. */
  readonly depth: number;
  /** Objects, lists and what is in them. */
  readonly values: number;
  /** Of its text, in UTF-8. */
  readonly bytes: number;
}

/** Whether a value that came from JSON keeps to all limits. */
export const isWithin = (value: unknown, { depth, values, bytes }: JsonLimits): boolean => {
  let seen = 0;
  let level: readonly unknown[] = [value];
  // Level by level, so that nothing here is as deep as the value.
  for (let levels = 0; level.length > 0; levels += 1) {
    seen += level.length;
    if (levels > depth || seen > values) return false;
    level = level.flatMap((each): unknown[] =>
      typeof each === "object" && each !== null ? Object.values(each) : [],
    );
  }
  return Buffer.byteLength(JSON.stringify(value)) <= bytes;
};
