import type { Conversation } from "./conversation.ts";

/** Longest inserted value, in UTF-16 code units: an answer that quotes a long prompt stays readable. */
const MAX_INSERTED = 2_000;

const placeholders: Record<string, (conversation: Conversation) => string> = {
  prompt: (conversation) => conversation.prompt,
  said: (conversation) => conversation.said,
  lastToolResult: (conversation) => conversation.toolResults.at(-1) ?? "",
  workingDirectory: (conversation) => conversation.workingDirectory,
};

/**
 * Fills `{{prompt}}`, `{{said}}`, `{{lastToolResult}}` and `{{workingDirectory}}` in every string inside `value`.
 * Unknown placeholders stay as written, and inserted text is not expanded again.
 */
export function fillTemplate<T>(value: T, conversation: Conversation): T;
export function fillTemplate(value: unknown, conversation: Conversation): unknown {
  if (typeof value === "string") {
    return value.replaceAll(/\{\{(\w+)\}\}/gu, (whole, name: string) => {
      if (!Object.hasOwn(placeholders, name)) return whole;
      return shorten(placeholders[name]?.(conversation) ?? "");
    });
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fillTemplate(item, conversation));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fillTemplate<unknown>(item, conversation)]),
    );
  }
  return value;
}

function shorten(text: string): string {
  return text.length <= MAX_INSERTED ? text : `${text.slice(0, MAX_INSERTED)}…`;
}
