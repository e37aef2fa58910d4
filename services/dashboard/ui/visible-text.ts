/**
 * What a browser would not show, or would let turn the text around it: control characters but for line feed
 * and tab, format characters (zero-width, bidirectional overrides, tags), halves of characters, private use.
 */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}/gu;

/** Other people's text with every character that cannot be seen spelled out, such as `⟨U+202E⟩`. Pure. */
export const visibleText = (text: string): string => text.replaceAll(unseen, codePoint);

const codePoint = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
