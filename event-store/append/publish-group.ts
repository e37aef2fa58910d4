import type { JetStreamClient } from "@nats-io/jetstream";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { type Publication, publishTimeoutMs } from "./publish-commit.ts";

/**
 * Publishes messages of one stream, each on a subject of its own, as an atomic batch (ADR-50 of NATS), which
 * the server syncs once. Answers their sequences, which follow each other; null if it is not known that they
 * were stored. All of them or none may have been then: to publish one alone tells, by its id and sequence.
 */
export const publishGroup = async (
  js: JetStreamClient,
  group: readonly [Publication, Publication, ...Publication[]],
): Promise<readonly number[] | null> => {
  const [first, second, ...others] = group;
  const timeout = publishTimeoutMs;
  try {
    const batch = await js.startBatch(first.subject, first.bytes, {
      headers: copyOf(first.headers),
      timeout,
    });
    const last = others.pop() ?? second;
    for (const { subject, bytes, headers: own } of last === second ? [] : [second, ...others]) {
      void batch.add(subject, bytes, { headers: copyOf(own) });
    }
    const { seq, count } = await batch.commit(last.subject, last.bytes, {
      headers: copyOf(last.headers),
      timeout,
    });
    return group.map((_, index) => seq - count + 1 + index);
  } catch {
    // One conflict fails the whole batch, and the client hides which: each alone learns what became of it.
    return null;
  }
};

/** The client adds the batch to the headers; whoever publishes the message alone must not send that. */
const copyOf = (original: MsgHdrs): MsgHdrs => {
  const copy = headers();
  for (const [name, values] of original) for (const value of values) copy.append(name, value);
  return copy;
};
