/**
 * Text of other people's servers as harmless text: nothing in it moves a cursor, hides, or runs backwards.
 * What it says is not judged. Pure.
 */

/**
 * Control characters but for line feed and tab; format characters (zero-width, bidirectional overrides, tags
 * that are invisible but read by models); halves of characters; private use.
 */
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}/gu;

/** At most so many characters, on as many lines as it had. */
export const plainText = (text: string, maxLength: number): string =>
  // Cut first: what comes may be long.
  text.slice(0, maxLength).replaceAll("\r\n", "\n").replaceAll(invisible, "");

/** The same in one line. */
export const plainLine = (text: string, maxLength: number): string =>
  plainText(text, maxLength).replaceAll(/\s+/g, " ").trim();

/** As a quotation in Markdown, which no text can end: every line of it begins with the mark. */
export const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
