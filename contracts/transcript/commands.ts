import type { Author } from "./author.ts";
import type { Message } from "./message.ts";

/** Both are an owner's, and carry its epoch. */
export type TranscriptCommand =
  /** What a new owner does first: whoever owned the session before it records nothing any more. */
  | { readonly type: "ClaimTranscript"; readonly epoch: number }
  | {
      readonly type: "RecordMessage";
      readonly epoch: number;
      readonly message: Message;
      /** Who asked; null for what the agent says. */
      readonly author: Author | null;
    };
