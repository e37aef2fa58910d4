/** The last of what a terminal has shown, for who comes back to it. */

export interface Scrollback {
  add(text: string): void;
  read(): string;
}

/** @param limit in UTF-16 units; about that much is kept */
export const scrollback = (limit: number): Scrollback => {
  let pieces: string[] = [];
  let length = 0;
  return {
    add: (text) => {
      pieces.push(text);
      length += text.length;
      // Cutting at each piece would copy everything each time; at twice the limit it does not matter.
      if (length > 2 * limit) {
        const kept = pieces.join("").slice(-limit);
        pieces = [kept];
        length = kept.length;
      }
    },
    read: () => fromLineStart(pieces.join("").slice(-limit), length > limit),
  };
};

/** Half a line may begin inside an escape sequence or a surrogate pair. */
const fromLineStart = (text: string, isCut: boolean): string =>
  isCut ? text.slice(text.indexOf("\n") + 1) : text;
