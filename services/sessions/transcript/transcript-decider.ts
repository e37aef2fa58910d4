/**
 * The transcript of a session: whole messages, each recorded when it is complete. The agent may
 * report a message again (after a reconnection, or when a late part arrives); the newest wins. Each
 * owner claims the transcript before it takes the session, so that an earlier one cannot add to it.
 */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { TranscriptCommand } from "#contracts/transcript/commands";
import type { TranscriptEvent } from "#contracts/transcript/events";
import type { Decider } from "#event-store/aggregates/decider";
import type { AggregateKey } from "#event-store/aggregates/load";
import { fingerprintOf } from "../fingerprint.ts";

export interface TranscriptState {
  /** The epoch of the newest owner that has claimed it. */
  readonly epoch: number;
  /** A digest of each recorded message by the message's id. */
  readonly digests: Readonly<Record<string, string>>;
}

const decide = (command: TranscriptCommand, state: TranscriptState): readonly TranscriptEvent[] => {
  const { epoch } = command;
  if (epoch < state.epoch) {
    throw new DomainError("stale_owner", "Another owner has the session.", {
      fields: { epoch, present: state.epoch },
    });
  }
  switch (command.type) {
    case "ClaimTranscript":
      return epoch === state.epoch ? [] : [{ type: "TranscriptClaimed", data: { epoch } }];
    case "RecordMessage": {
      const { message, author } = command;
      if (digestOf(state, message.id) === messageDigest({ message, author })) return [];
      return [{ type: "MessageRecorded", data: { epoch, message, author } }];
    }
    default:
      return assertNever(command);
  }
};

const evolve = (state: TranscriptState, { type, data }: TranscriptEvent): TranscriptState => {
  // Owners of former programs have recorded without a claim.
  const epoch = Math.max(state.epoch, data.epoch);
  switch (type) {
    case "TranscriptClaimed":
      return { ...state, epoch };
    case "MessageRecorded":
      return { epoch, digests: { ...state.digests, [data.message.id]: messageDigest(data) } };
    default:
      return assertNever(type);
  }
};

const digestOf = ({ digests }: TranscriptState, id: string): string | undefined =>
  Object.hasOwn(digests, id) ? digests[id] : undefined;

type Recorded = Pick<Extract<TranscriptCommand, { type: "RecordMessage" }>, "message" | "author">;

/** Short, because a transcript keeps one for each of its messages. */
const messageDigest = ({ message, author }: Recorded): string =>
  fingerprintOf(author === null ? message : { message, author }).slice(0, 24);

export const transcriptDecider: Decider<TranscriptCommand, TranscriptEvent, TranscriptState> = {
  initialState: () => ({ epoch: 0, digests: {} }),
  decide,
  evolve,
};

/** For `execute` and `loadAggregate`; the transcript's id is the session's. */
export const transcriptAggregate = {
  aggregate: "transcript",
  decider: transcriptDecider,
  snapshotVersion: 2,
  textOwner: ({ id }: AggregateKey) => id,
} as const;
