const firstMs = 250;
const longestMs = 15_000;

/**
 * How long to wait, in milliseconds, before the attempt with this number (from 1): doubling up to 15 s, with
 * the upper half left to chance so that the clients of a server that went away do not all return at once.
 *
 * @param random from 0 to 1, as `Math.random` gives it
 */
export const reconnectDelay = (attempt: number, random: number): number => {
  const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 16));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
};
