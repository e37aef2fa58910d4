import type { Message } from "./message.ts";

export type TranscriptCommand = {
  readonly type: "RecordMessage";
  readonly epoch: number;
  readonly message: Message;
};
