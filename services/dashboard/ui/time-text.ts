const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** How long ago something was, in the largest unit that fits; both times in milliseconds since 1970. */
export const timeAgo = (at: number, now: number): string => {
  const elapsed = Math.max(0, now - at);
  for (const [unit, length] of units) {
    if (elapsed >= length) return relative.format(-Math.floor(elapsed / length), unit);
  }
  return "just now";
};

/** A remaining time in milliseconds as a clock shows it: `4:05`, or `1:02:09` from an hour on. */
export const clock = (remainingMs: number): string => {
  const seconds = Math.max(0, Math.ceil(remainingMs / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown
    .map((part, index) => (index === 0 ? `${part}` : `${part}`.padStart(2, "0")))
    .join(":");
};

/** A duration in milliseconds: `240 ms`, `3.2 s`. */
export const duration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
