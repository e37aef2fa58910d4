/** What a log on several servers needs beyond one on a single server: patience with elections. */
import type { JetStreamManager } from "@nats-io/jetstream";
import pRetry from "p-retry";
import { DomainError } from "#contracts/errors";
import { classifyPublishFailure } from "../publish-outcome.ts";

/** Longer than an election, which takes up to ten seconds, and than a node's start. */
const patienceMs = 30_000;

class NoLeaderYet extends DomainError {
  override readonly name = "NoLeaderYet";

  constructor(stream: string) {
    super("log_unavailable", `The stream ${stream} has no leader.`, { fields: { stream } });
  }
}

/**
 * Does it again while the cluster has nobody who answers; the work must be fine to do twice.
 *
 * @throws DomainError `log_unavailable` after 30 seconds, and whatever else the work throws
 */
export const whenAvailable = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await pRetry(work, {
      forever: true,
      minTimeout: 50,
      maxTimeout: 500,
      maxRetryTime: patienceMs,
      shouldRetry: isPassing,
    });
  } catch (error) {
    if (!isPassing(error) || error instanceof NoLeaderYet) throw error;
    throw new DomainError("log_unavailable", "The log does not answer; try again later.", {
      cause: error,
    });
  }
};

const isPassing = (error: unknown): boolean =>
  error instanceof NoLeaderYet || classifyPublishFailure(error) === "retry_same";

/**
 * Waits until each of the streams has a leader: one that was just created has none for a moment, and
 * refuses everything until then.
 *
 * @throws DomainError `log_unavailable` after 30 seconds
 */
export const awaitLeaders = async (
  jsm: JetStreamManager,
  streams: readonly string[],
): Promise<void> => {
  await Promise.all(
    streams.map((stream) =>
      whenAvailable(async () => {
        const { cluster } = await jsm.streams.info(stream);
        if (!cluster?.leader) {
          throw new NoLeaderYet(stream);
        }
      }),
    ),
  );
};
