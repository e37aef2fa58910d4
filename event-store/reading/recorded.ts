import { hash } from "node:crypto";
import { type AggregateRef, type Commit, commitSchema } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import type { Position } from "#contracts/position";
import { isPlainCommit } from "./plain-commit.ts";
import { formatPosition } from "../position.ts";
import { parseSubject, shardIn } from "../sharding.ts";
import type { Traceparent } from "../tracing/tracing.ts";

/** A commit as it stands in the log. */
export interface RecordedCommit {
  readonly ref: AggregateRef;
  readonly position: Position;
  readonly shard: number;
  /** The sequence in the shard's stream. */
  readonly sequence: number;
  readonly commit: Commit;
  /** SHA-256 of the stored bytes, in hex: what the aggregate's next commit names as `prev`. */
  readonly hash: string;
  /**
   * What the commit is a part of, and, in a reactor, its handling: what the commands that follow are a part of.
   * Read only where traces are followed.
   */
  readonly trace?: Traceparent | undefined;
}

export const hashOf = (bytes: Uint8Array): string => hash("sha256", bytes, "hex");

const decoder = new TextDecoder();

/** Reads a stored message. Throws `event_invalid` for bytes that are not a commit. */
export const readRecorded = (message: {
  readonly subject: string;
  readonly seq: number;
  readonly data: Uint8Array;
}): RecordedCommit => {
  const { subject, seq, data } = message;
  const ref = parseSubject(subject);
  const shard = shardIn(subject);
  return {
    ref,
    shard,
    sequence: seq,
    position: formatPosition(shard, seq),
    commit: parseCommit(data, subject, seq),
    hash: hashOf(data),
  };
};

/** The trace that a message names in its header. */
export const traceOf = (header: string | undefined): Pick<RecordedCommit, "trace"> =>
  header ? { trace: header } : {};

/** Reads the bytes of a stored message. Throws `event_invalid` for bytes that are not a commit. */
export const parseCommit = (bytes: Uint8Array, subject: string, sequence: number): Commit => {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return isPlainCommit(value) ? value : commitSchema.parse(value);
  } catch (cause) {
    throw new DomainError("event_invalid", `The message ${sequence} of ${subject} is no commit.`, {
      fields: { subject, sequence },
      cause,
    });
  }
};
