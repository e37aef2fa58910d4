import type { FrameBudgetLimits } from "./client/frame-budget.ts";

/** The bounds of the tier. All of them have defaults; tests and operators change single ones. */
export interface FanoutLimits {
  /** A client for which more than this waits unread is closed with `slow_consumer`. Bytes. */
  readonly maxBackpressure: number;
  /** Frames that are kept per watched session for clients that come back. */
  readonly ringFrames: number;
  /** Bytes that those frames may take together. */
  readonly ringBytes: number;
  /** Tokens of one part are merged for this long after the first; 0: never. Milliseconds. */
  readonly batchWindowMs: number;
  /** How long a session is still followed after its last client left. Milliseconds. */
  readonly graceMs: number;
  /** A connection that has had no first frame by then is closed with 1013. Milliseconds. */
  readonly welcomeTimeoutMs: number;
  /** A client that answers no ping for this long is dropped. Seconds, 8 to 960. */
  readonly idleTimeoutSeconds: number;
  /** Event streams that one person, or program, may have open at once in one process. */
  readonly streamsPerPerson: number;
  /** The largest frame that a client may send: a prompt, most of whose characters are escaped. Bytes. */
  readonly maxFrameBytes: number;
  /** A client that sends more frames is closed with `too_many_frames`. */
  readonly clientFrames: FrameBudgetLimits;
  /** Requests of one client that wait for those before them; further ones are refused. */
  readonly waitingRequests: number;
}

export const defaultLimits: FanoutLimits = {
  maxBackpressure: 1024 * 1024,
  ringFrames: 2_000,
  ringBytes: 4 * 1024 * 1024,
  batchWindowMs: 50,
  graceMs: 10_000,
  welcomeTimeoutMs: 10_000,
  idleTimeoutSeconds: 120,
  streamsPerPerson: 64,
  maxFrameBytes: 256 * 1024,
  clientFrames: { burst: 60, perSecond: 10 },
  waitingRequests: 60,
};
