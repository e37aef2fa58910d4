/** A moment of the log: a time, or the place of a commit. */
import { DomainError } from "#contracts/errors";
import { parsePosition } from "../position.ts";

export type LogPoint =
  | { readonly kind: "time"; readonly at: Date }
  | { readonly kind: "position"; readonly shard: number; readonly sequence: number };

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Reads an ISO 8601 date or instant, or a time before now such as `90s`, `15m`, `2h` or `7d`. What
 * names no zone is in UTC.
 *
 * @throws DomainError `request_malformed`
 */
export const parseTime = (text: string, now: Date): Date => {
  const ago = /^(\d{1,9})([smhd])$/.exec(text);
  if (ago) {
    return new Date(now.getTime() - Number(ago[1]) * unitsMs[ago[2] as keyof typeof unitsMs]);
  }
  const zoned = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  const needsZone = zoned?.[1] !== undefined && zoned[4] === undefined;
  const at = new Date(needsZone ? `${text}Z` : text);
  if (!zoned || Number.isNaN(at.getTime())) {
    throw new DomainError(
      "request_malformed",
      `"${text}" is not a time: write 2026-08-21, 2026-08-21T09:30:00Z, or 15m, 2h, 7d for "ago".`,
    );
  }
  return at;
};

/** Reads a position or a time. Throws `request_malformed`. */
export const parseLogPoint = (text: string, now: Date): LogPoint =>
  /^\d+:\d+$/.test(text)
    ? { kind: "position", ...parsePosition(text) }
    : { kind: "time", at: parseTime(text, now) };
