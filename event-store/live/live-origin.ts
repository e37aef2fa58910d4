import type { EventStore } from "../event-store.ts";
import { classifyPublishFailure } from "../publish-outcome.ts";
import { liveStream } from "../topology/streams.ts";

/** Beside those of sessions, which have an organisation before them. */
const markSubject = "live.began";

/** More messages than a stream takes in a millisecond, so that the numbers of two streams cannot meet. */
const numbersPerMs = 1_000;

/**
 * What is added to the stream's own numbers in what readers are given. The stream lies in memory: a server that was
 * restarted has forgotten it and counts from one again, and who had read up to 40 would take 40 new messages for
 * known. A mark that lies in the stream, and is lost with it, tells one such life from the next; whoever finds none
 * leaves it. The time at which it was left makes later numbers larger than all before.
 *
 * @throws when the log cannot be reached, or has no such stream
 */
export const liveOrigin = async (store: EventStore): Promise<number> => {
  const found = (await readMark(store)) ?? (await leaveMark(store));
  return found.time.getTime() * numbersPerMs - found.seq;
};

const readMark = ({ jsm }: EventStore) =>
  jsm.direct.getMessage(liveStream, { last_by_subj: markSubject });

const leaveMark = async (store: EventStore) => {
  try {
    await store.js.publish(markSubject, "", {
      expect: { lastSubjectSequence: 0 },
      ttl: "never",
    });
  } catch (error) {
    // Somebody else left it in this moment, and theirs counts.
    if (classifyPublishFailure(error) !== "wrong_last_sequence") throw error;
  }
  const left = await readMark(store);
  if (!left) throw new Error("The live channel was lost as it began.");
  return left;
};
