/**
 * Text from the log as it may be shown on a terminal: control characters, with which it could move the
 * cursor or recolour the screen, are written as escapes.
 */
export const printable = (text: string): string =>
  text.replaceAll(
    /[\u0000-\u001f\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
