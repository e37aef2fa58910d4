/** Reads a service's log line by line, and goes on with what is printed from then on. */
import { setTimeout as delay } from "node:timers/promises";
import type { LogCursor, ServiceLog } from "./service-log.ts";

export type LogEvent =
  /** `after` is where the next line begins. */
  | { readonly kind: "line"; readonly text: string; readonly after: LogCursor }
  /** Lines are missing here: they have been rotated away. */
  | { readonly kind: "gap" };

export interface FollowOptions {
  readonly from: LogCursor;
  /** False: ends at the log's present end. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

const pollMs = 200;
/** A longer line comes in pieces. */
const maxLineBytes = 64 * 1024;
const newline = 0x0a;

export async function* followLog(
  log: ServiceLog,
  options: FollowOptions,
): AsyncGenerator<LogEvent, void, undefined> {
  let cursor = options.from;
  let begun: Buffer = Buffer.alloc(0);
  while (!options.signal.aborted) {
    const piece = await log.read(cursor);
    cursor = piece.next;
    if (piece.gap) {
      begun = Buffer.alloc(0);
      yield { kind: "gap" };
    }
    if (piece.bytes.length === 0) {
      if (!options.follow) {
        if (begun.length > 0) yield line(begun, cursor);
        return;
      }
      // Aborting is how following ends, and no error.
      await delay(pollMs, undefined, { signal: options.signal }).catch(() => undefined);
      continue;
    }
    let read = 0;
    for (let end = piece.bytes.indexOf(newline); end !== -1;) {
      const after = { ...piece.start, offset: piece.start.offset + end + 1 };
      yield line(Buffer.concat([begun, piece.bytes.subarray(read, end)]), after);
      begun = Buffer.alloc(0);
      read = end + 1;
      end = piece.bytes.indexOf(newline, read);
    }
    begun = Buffer.concat([begun, piece.bytes.subarray(read)]);
    if (begun.length >= maxLineBytes) {
      yield line(begun, cursor);
      begun = Buffer.alloc(0);
    }
  }
}

/** Bytes that are no UTF-8 become U+FFFD. */
const line = (bytes: Buffer, after: LogCursor): LogEvent => ({
  kind: "line",
  text: bytes.toString("utf8").replace(/\r$/, ""),
  after,
});
