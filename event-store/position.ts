import { DomainError } from "#contracts/errors";
import type { Position } from "#contracts/position";

/** The position of a commit; `sequence` is its sequence in the shard's stream, from 1. */
export const formatPosition = (shard: number, sequence: number): Position =>
  `${shard}:${sequence}` as Position;

/** Reads a position. Throws `position_invalid` for anything that this log cannot have given out. */
export const parsePosition = (text: string): { shard: number; sequence: number } => {
  const match = /^(\d{1,4}):(\d{1,16})$/.exec(text);
  if (!match) {
    throw new DomainError("position_invalid", "This is not a position of the log.");
  }
  return { shard: Number(match[1]), sequence: Number(match[2]) };
};
