/** Publishes one message until it is known what became of it. */
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { JetStreamClient } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/transport-node";
import type { AggregateRef } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import type { Lookup } from "../cluster/read-from-leader.ts";
import { classifyPublishFailure } from "../publish-outcome.ts";

/** How long an append keeps trying while the log does not answer, in milliseconds. */
export const appendPatienceMs = 15_000;
/** How long one publish waits for its answer, in milliseconds. */
export const publishTimeoutMs = 2_000;

export interface Publication {
  /** Named in errors. */
  readonly ref: AggregateRef;
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly headers: MsgHdrs;
}

/**
 * Sends the same bytes with the same id while it is not known what became of them. Answers the new
 * sequence, or where to look for what was there already.
 *
 * @throws DomainError `log_unavailable`; what the server refuses for good
 */
export const publishCommit = async (
  js: JetStreamClient,
  { ref, subject, bytes, headers }: Publication,
): Promise<number | Lookup> => {
  const deadline = performance.now() + appendPatienceMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const ack = await js.publish(subject, bytes, { headers, timeout: publishTimeoutMs });
      return ack.duplicate ? { seq: ack.seq } : ack.seq;
    } catch (error) {
      const failure = classifyPublishFailure(error);
      if (failure === "wrong_last_sequence") {
        return { last_by_subj: subject };
      }
      if (failure === "refused") {
        throw error;
      }
      if (performance.now() >= deadline) {
        throw new DomainError("log_unavailable", "The log does not answer; try again later.", {
          fields: { aggregate: ref.aggregate, id: ref.id },
          cause: error,
        });
      }
      await delay(Math.min(2 ** attempt, 500) + randomInt(10));
    }
  }
};
