/** Keeps what a program printed to a size that can be logged, stored and shown. */

/** Bytes of UTF-8. */
export const outputCap = 16 * 1024;

/**
 * The beginning and the end of a text that is too long, with the number of bytes left out between them:
 * errors stand at the end, what caused them often at the beginning.
 * @returns at most `cap` bytes of UTF-8; no character is cut in two
 */
export const capOutput = (text: string, cap = outputCap): string => {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= cap) return text;
  const room = Math.max(0, cap - marker(bytes.length).length);
  const headEnd = boundaryBefore(bytes, Math.ceil(room / 2));
  const tailStart = boundaryAfter(bytes, bytes.length - Math.floor(room / 2));
  const head = bytes.toString("utf8", 0, headEnd);
  return `${head}${marker(tailStart - headEnd)}${bytes.toString("utf8", tailStart)}`;
};

const marker = (omitted: number): string => `\n[... ${omitted} bytes left out ...]\n`;

/** Bytes like 10xxxxxx go on with a character that began before them. */
const continuesCharacter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;

const boundaryBefore = (bytes: Uint8Array, index: number): number => {
  let at = index;
  while (continuesCharacter(bytes[at])) at -= 1;
  return at;
};

const boundaryAfter = (bytes: Uint8Array, index: number): number => {
  let at = index;
  while (continuesCharacter(bytes[at])) at += 1;
  return at;
};
