/** Cuts JSON down to a size by shortening what is long inside, so that what is left is still JSON. */
import type { Json } from "./redact-result.ts";

interface Limits {
  readonly characters: number;
  readonly items: number;
  readonly depth: number;
}

export interface Truncated {
  readonly value: Json;
  readonly truncated: boolean;
}

/** From gentle to harsh; the first that fits is taken. */
const stages: readonly Limits[] = Array.from({ length: 11 }, (_, stage) => ({
  characters: 8192 >> stage,
  items: Math.max(1, 256 >> stage),
  depth: 16 - stage,
}));

/**
 * @param maxBytes the largest size of the JSON text, in bytes of UTF-8
 */
export const truncateJson = (value: Json, maxBytes: number): Truncated => {
  if (sizeOf(value) <= maxBytes) return { value, truncated: false };
  for (const limits of stages) {
    const shorter = shorten(value, limits);
    if (sizeOf(shorter) <= maxBytes) return { value: shorter, truncated: true };
  }
  return { value: "[too large]", truncated: true };
};

const sizeOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value));

const shorten = (value: Json, limits: Limits): Json => {
  if (typeof value === "string") return shortenText(value, limits.characters);
  if (value === null || typeof value !== "object") return value;
  const inner = { ...limits, depth: limits.depth - 1 };
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    if (limits.depth === 0) return `[${items.length} items]`;
    const kept = items.slice(0, limits.items).map((item) => shorten(item, inner));
    const dropped = items.length - kept.length;
    return dropped > 0 ? [...kept, `[${dropped} more items]`] : kept;
  }
  const fields = Object.entries(value as Readonly<Record<string, Json>>);
  if (limits.depth === 0) return `[${fields.length} fields]`;
  const kept = fields
    .slice(0, limits.items)
    .map(([key, field]): [string, Json] => [
      shortenText(key, limits.characters),
      shorten(field, inner),
    ]);
  const dropped = fields.length - kept.length;
  return Object.fromEntries(
    dropped > 0 ? [...kept, ["[truncated]", `${dropped} more fields`]] : kept,
  );
};

const shortenText = (text: string, characters: number): string => {
  if (text.length <= characters) return text;
  // A cut between the two halves of a character would leave half of it behind.
  const end = isHighSurrogate(text.charCodeAt(characters - 1)) ? characters - 1 : characters;
  return `${text.slice(0, end)}[${text.length - end} more characters]`;
};

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
