import { jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { EventStore } from "../event-store.ts";
import { whenAvailable } from "./await-leaders.ts";

/**
 * Only the leader answers; while there is none, nobody does. So a question is given up early and put
 * again, or it would still wait long after the election.
 */
const timeoutMs = 1_000;

/** Where to look for a message: by sequence, or the subject's last. */
export type Lookup = { readonly seq: number } | { readonly last_by_subj: string };

/**
 * A message as the leader knows it, which has all that was acknowledged; null if there is none.
 *
 * @throws DomainError `log_unavailable`
 */
export const readFromLeader = (
  { connection }: Pick<EventStore, "connection">,
  stream: string,
  lookup: Lookup,
): Promise<StoredMsg | null> =>
  whenAvailable(async () => {
    const jsm = await jetstreamManager(connection, { timeout: timeoutMs, checkAPI: false });
    return jsm.streams.getMessage(stream, lookup);
  });
