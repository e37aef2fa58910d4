/** The value below which `percent` of the values lie; 0 of none. */
export const percentile = (values: readonly number[], percent: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100));
  return Number((sorted[index] ?? 0).toFixed(3));
};
