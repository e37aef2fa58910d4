/** Prompts with places for fields of a delivery: `{{body.issue.title}}`. There is no logic in them. */
import { fieldOf } from "./body.ts";

const place = /\{\{\s*body((?:\.[\w-]+)*)\s*\}\}/g;

/**
 * Puts the fields in. Text stands as it is, other values as JSON, and what is missing as nothing. What
 * a field says is never read as a template again.
 *
 * @param maxBytes the longest text in bytes of UTF-8; the rest is cut off, so that a large delivery
 * still makes a prompt
 */
export const renderTemplate = (template: string, body: unknown, maxBytes: number): string =>
  cut(
    template.replaceAll(place, (_place, path: string) => textOf(lookUp(body, path))),
    maxBytes,
  );

const lookUp = (body: unknown, path: string): unknown =>
  path.split(".").slice(1).reduce(fieldOf, body);

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

const cut = (text: string, maxBytes: number): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // Streaming mode leaves out a character whose last bytes were cut off.
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
};
