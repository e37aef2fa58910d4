import fc from "fast-check";
import { derivedId } from "#contracts/ids";
import type { TranscriptCommand } from "#contracts/transcript/commands";
import { transcriptEvents } from "#contracts/transcript/events";
import { messageSchema } from "#contracts/transcript/message";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { transcriptDecider } from "./transcript-decider.ts";

/** Few ids, so that messages are recorded again; one of them is also a name of every object. */
const messages = fc
  .tuple(arbitraryOf(messageSchema), fc.constantFrom("msg_1", "msg_2", "constructor"))
  .map(([message, id]) => ({ ...message, id }));

const epoch = fc.integer({ min: 1, max: 3 });

describeDecider("a transcript", {
  decider: transcriptDecider,
  events: transcriptEvents,
  commands: fc.oneof(
    fc.record<TranscriptCommand>({
      type: fc.constant("RecordMessage"),
      epoch,
      message: messages,
      author: fc.constantFrom(null, { kind: "user", userId: derivedId("user", "ada") }),
    }),
    fc.record({ type: fc.constant("ClaimTranscript" as const), epoch }),
  ),
  repeated: { RecordMessage: "nothing", ClaimTranscript: "nothing" },
});
