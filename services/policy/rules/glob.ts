/**
 * Patterns: `*` stands for any characters (none, too), `?` for one. Deciding takes at most as many steps
 * as the lengths of pattern and text multiplied; a regular expression made from the same pattern could
 * take for ever. Pure.
 */

/** Whether a text is what the pattern describes. */
export const compileGlob = (glob: string): ((text: string) => boolean) => {
  if (glob.includes("?")) return (text) => matchesStepwise(glob, text);
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text === glob;
  const shortest = first.length + last.length;
  return (text) =>
    text.length >= shortest &&
    text.startsWith(first) &&
    text.endsWith(last) &&
    haveRoom(rest, text, { from: first.length, to: text.length - last.length });
};

/** Whether the pieces follow each other in this part of the text; the first place of each is the best. */
const haveRoom = (
  pieces: readonly string[],
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): boolean => {
  let at = from;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= to;
};

const matchesStepwise = (glob: string, text: string): boolean => {
  let at = 0;
  let position = 0;
  let star = -1;
  let resumeAt = 0;
  while (position < text.length) {
    // Asked first: a text may hold an asterisk too, which is no reason to take the pattern's for a letter.
    if (glob[at] === "*") {
      star = at;
      resumeAt = position;
      at += 1;
    } else if (glob[at] === "?" || glob[at] === text[position]) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      // The last star takes one character more; what came before it need not be looked at again.
      resumeAt += 1;
      position = resumeAt;
      at = star + 1;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") at += 1;
  return at === glob.length;
};
