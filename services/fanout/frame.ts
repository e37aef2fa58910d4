import type { LiveMessage, ServerFrame } from "#contracts/live/messages";

/** One message of a session's live channel. */
export interface Received {
  readonly seq: number;
  readonly message: LiveMessage;
}

/** A frame as it is sent. */
export interface EncodedFrame {
  /** The sequence number that its client can resume after; null unless it says one. */
  readonly seq: number | null;
  /** Its JSON in UTF-8. */
  readonly data: Buffer;
}

/** A frame that is ready to be sent: encoded once, however many clients get it. */
export interface LiveFrame extends EncodedFrame {
  /** The newest sequence number in it. */
  readonly seq: number;
  readonly message: LiveMessage;
  /** What it was merged from, oldest first; more than one only for tokens of the same part. */
  readonly sources: readonly Received[];
}

export const encodeFrame = (frame: ServerFrame): EncodedFrame => ({
  seq: "seq" in frame ? frame.seq : null,
  data: Buffer.from(JSON.stringify(frame)),
});

/** Makes one frame of one message, or of several tokens of the same part. */
export const makeFrame = (sources: readonly Received[]): LiveFrame => {
  const last = sources.at(-1);
  if (!last) throw new Error("a frame needs a message");
  const message =
    last.message.type === "token"
      ? { ...last.message, delta: sources.map(deltaOf).join("") }
      : last.message;
  const { data } = encodeFrame({ type: "live", seq: last.seq, message });
  return { seq: last.seq, message, data, sources };
};

/**
 * What a client that has seen everything up to `seq` still needs of a newer frame. It may need only
 * a part of it: another instance of this tier may have merged the same tokens differently.
 */
export const restOfFrame = (frame: LiveFrame, seq: number): LiveFrame =>
  (frame.sources[0]?.seq ?? 0) > seq
    ? frame
    : makeFrame(frame.sources.filter((source) => source.seq > seq));

/** Whether two messages are tokens of the same part, which one frame can carry together. */
export const isSamePart = (one: LiveMessage, other: LiveMessage): boolean =>
  one.type === "token" &&
  other.type === "token" &&
  one.messageId === other.messageId &&
  one.partId === other.partId &&
  one.kind === other.kind;

const deltaOf = ({ message }: Received): string => (message.type === "token" ? message.delta : "");
