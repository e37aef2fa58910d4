/**
 * What agents and tools say is not always text that Postgres can store: it refuses the character NUL,
 * lone surrogates, and JSON that is nested so deeply that its parser runs out of stack. One such
 * message would halt the projection of everybody else's, so the read models keep it slightly changed;
 * the log has it as it was.
 */

const replacement = "\ufffd";
const tooDeep = "[nested too deeply to be shown]";
/** More than any meaningful document has, and far below what Postgres or this recursion can take. */
const maxDepth = 100;

/** ECMAScript 2024, which Node 20 has and the library types of 2023 have not. */
interface WellFormedString {
  isWellFormed(): boolean;
  toWellFormed(): string;
}
const wellFormed = (text: string): WellFormedString => text as unknown as WellFormedString;

const isStorableString = (text: string): boolean =>
  !text.includes("\0") && wellFormed(text).isWellFormed();

/** Almost everything is storable, so this is what the projection of a long log spends its time on. */
const isStorable = (value: unknown, depth: number): boolean => {
  if (typeof value === "string") return isStorableString(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= maxDepth) return false;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (!isStorable(item, depth + 1)) return false;
    }
    return true;
  }
  for (const key of Object.keys(value)) {
    if (!isStorableString(key)) return false;
    if (!isStorable((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
};

const changedString = (text: string): string =>
  wellFormed(text.replaceAll("\0", replacement)).toWellFormed();

const changed = (value: unknown, depth: number): unknown => {
  if (typeof value === "string") return changedString(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return tooDeep;
  if (Array.isArray(value)) return value.map((item) => changed(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [changedString(key), changed(item, depth + 1)]),
  );
};

/** A JSON value as it can be stored as `text` and `jsonb`: itself, or a copy with what must be changed. */
export const storable = <Value>(value: Value): Value =>
  isStorable(value, 0) ? value : (changed(value, 0) as Value);
