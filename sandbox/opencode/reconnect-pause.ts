const firstMs = 250;
const longestMs = 2_000;

/** How long to wait before the next connection, after so many in a row that brought nothing. */
export const reconnectPauseMs = (failures: number): number =>
  Math.min(firstMs * 2 ** failures, longestMs);
