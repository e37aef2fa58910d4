import type { Author } from "./author.ts";
import type { Message } from "./message.ts";

export type TranscriptCommand = {
  readonly type: "RecordMessage";
  readonly epoch: number;
  readonly message: Message;
  /** Who asked; null for what the agent says. */
  readonly author: Author | null;
};
