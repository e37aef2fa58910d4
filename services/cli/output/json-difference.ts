/** How one JSON value differs from another, place by place. */
import { isDeepStrictEqual } from "node:util";

export interface JsonDifference {
  /** `prompts[0].text`; empty for the whole value. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before?: unknown;
  readonly after?: unknown;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The differences in the order of the places. Lists are compared without what they have in common at
 * their beginning and end, so that an item that left a queue is one difference.
 */
export const jsonDifferences = (
  before: unknown,
  after: unknown,
  path = "",
): readonly JsonDifference[] => {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listDifferences(before, after, path);
  if (!isRecord(before) || !isRecord(after)) return [{ path, kind: "changed", before, after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): readonly JsonDifference[] => {
    const place = pathOf(path, name);
    if (!Object.hasOwn(after, name))
      return [{ path: place, kind: "removed", before: before[name] }];
    if (!Object.hasOwn(before, name)) return [{ path: place, kind: "added", after: after[name] }];
    return jsonDifferences(before[name], after[name], place);
  });
};

const pathOf = (path: string, name: string): string => {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
};

const listDifferences = (
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): readonly JsonDifference[] => {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isDeepStrictEqual(before[start], after[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isDeepStrictEqual(before.at(-1 - end), after.at(-1 - end))) {
    end += 1;
  }
  const gone = before.slice(start, before.length - end);
  const come = after.slice(start, after.length - end);
  return Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => {
    const place = `${path}[${start + index}]`;
    if (index >= come.length) {
      return [{ path: place, kind: "removed" as const, before: gone[index] }];
    }
    if (index >= gone.length) return [{ path: place, kind: "added" as const, after: come[index] }];
    return jsonDifferences(gone[index], come[index], place);
  }).flat();
};
