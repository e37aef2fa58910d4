import type { SessionId } from "#contracts/ids";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import {
  executeOnInvocation,
  type InvocationKey,
  invocationNotFound,
  requireInvocation,
} from "../invocation/invocation-log.ts";
import type { FullResultTable } from "./full-result-table.ts";
import { fullResultNotFound, requireKept } from "./kept.ts";

export interface ReadFullResultDeps {
  readonly store: EventStore;
  readonly fullResults: Pick<FullResultTable, "get">;
  readonly clock: () => Date;
}

export interface ReadRequest extends InvocationKey {
  /** The session that it must be of; null for any. */
  readonly sessionId: SessionId | null;
  /** Who reads it. */
  readonly by: string;
}

export interface ReadResult {
  readonly result: unknown;
  readonly bytes: number;
  /** ISO 8601 instant: how long it can be read. */
  readonly until: string;
}

/**
 * An invocation's full result. Who reads it is in the log before it is answered; where there is nothing to
 * read, nothing is recorded.
 *
 * @throws DomainError `invocation_not_found`; `full_result_not_found`, with its `reason`; `log_unavailable`
 */
export const readFullResult = async (
  { store, fullResults, clock }: ReadFullResultDeps,
  { organization, id, sessionId, by }: ReadRequest,
  meta: CommandMeta,
): Promise<ReadResult> => {
  const key = { organization, id };
  const { state } = await requireInvocation(store, key);
  const { request } = state;
  if (sessionId !== null && request.sessionId !== sessionId) throw invocationNotFound();
  const now = clock().toISOString();
  const { attempt, bytes, until } = requireKept(state, now);
  const text = await fullResults.get({ ...key, sessionId: request.sessionId, attempt });
  if (text === null) throw fullResultNotFound("erased");
  await executeOnInvocation(store, key, { type: "ReadFullResult", by, now }, meta);
  return { result: JSON.parse(text) as unknown, bytes, until };
};
