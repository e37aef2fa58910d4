/**
 * Whether a text is what a pattern describes: `*` stands for any characters (none, too), `?` for one. It
 * takes at most as many steps as the lengths of both multiplied; a regular expression made from the same
 * pattern could take for ever. Pure.
 */
export const matchesGlob = (glob: string, text: string): boolean => {
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
