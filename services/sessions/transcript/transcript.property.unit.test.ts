import fc from "fast-check";
import { derivedId } from "#contracts/ids";
import type { Author } from "#contracts/transcript/author";
import { transcriptEvents } from "#contracts/transcript/events";
import { messageSchema } from "#contracts/transcript/message";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { transcriptDecider } from "./transcript-decider.ts";

/** Few ids, so that messages are recorded again; one of them is also a name of every object. */
const messages = fc
  .tuple(arbitraryOf(messageSchema), fc.constantFrom("msg_1", "msg_2", "constructor"))
  .map(([message, id]) => ({ ...message, id }));

const userId = derivedId("user", "ada");
const epoch = fc.integer({ min: 1, max: 3 });

describeDecider("a transcript", {
  decider: transcriptDecider,
  events: transcriptEvents,
  commands: fc.oneof(
    fc.record({
      type: fc.constant("RecordMessage" as const),
      epoch,
      message: messages,
      author: fc.constantFrom<(Author | null)[]>(null, { kind: "user", userId }),
    }),
    fc.record({ type: fc.constant("ClaimTranscript" as const), epoch }),
  ),
  repeated: { RecordMessage: "nothing", ClaimTranscript: "nothing" },
});
