/** Since 2.14.4 the server has all that the streams use (see the NATS release notes of 2.12 to 2.14). */
export const minimumNatsVersion = "2.14.4";

/** Takes `nats-server: v2.15.1` apart; undefined if that is not what the text says. */
export const parseNatsVersion = (versionOutput: string): string | undefined =>
  /nats-server:?\s+v?(\d+\.\d+\.\d+(?:-[\w.]+)?)/i.exec(versionOutput)?.[1];

/** Whether a version may be used. A pre-release counts as older than its release. */
export const isRecentEnough = (version: string, minimum = minimumNatsVersion): boolean => {
  const [numbers = "", preRelease] = version.split("-", 2);
  const have = numbers.split(".").map(Number);
  const need = minimum.split(".").map(Number);
  for (const [index, needed] of need.entries()) {
    const had = have[index] ?? 0;
    if (had !== needed) return had > needed;
  }
  return preRelease === undefined;
};
