/** The state of an aggregate as it was at some moment. Snapshots play no part in it. */
import { type AggregateRef, type AggregateType } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import type { DomainEvent } from "#contracts/event-registry";
import type { EventStore } from "../event-store.ts";
import { eventsOf } from "../aggregates/load.ts";
import { shardOf, streamOf } from "../sharding.ts";
import { aggregatesIn } from "./aggregates-in.ts";
import type { LogPoint } from "./log-point.ts";
import { type AggregateSelector, typeOfId } from "./scope.ts";
import { readStoredCommits, type StoredCommit } from "./stored-commits.ts";

/** The part of a decider that folds. The events are those of the aggregate's own type. */
export interface Fold {
  readonly initialState: () => unknown;
  readonly evolve: (state: unknown, event: DomainEvent) => unknown;
}

export interface StateAt {
  readonly ref: AggregateRef;
  readonly state: unknown;
  readonly commits: number;
  /** The newest commit that is in the state; null for the initial state. */
  readonly last: StoredCommit | null;
}

/**
 * The aggregate that is meant. Without a type, it is the one whose ids begin like this id.
 *
 * @throws DomainError `not_found`, `request_malformed` when several organisations have it
 */
export const findAggregate = async (
  store: EventStore,
  selector: AggregateSelector,
  organization?: string,
): Promise<AggregateRef> => {
  const aggregate = { id: selector.id, type: selector.type ?? typeOfId(selector.id) };
  const scope = { organization, aggregate };
  const found = await aggregatesIn(store, scope);
  const [first, second] = found;
  if (first === undefined) {
    throw new DomainError("not_found", `The log has no aggregate "${selector.id}".`);
  }
  if (second !== undefined) {
    throw new DomainError(
      "request_malformed",
      `"${selector.id}" is ${found.map((ref) => `${ref.aggregate} of ${ref.organization}`).join(", ")}: say which.`,
    );
  }
  return first;
};

/**
 * Folds an aggregate up to and with a moment; null for now.
 *
 * @throws DomainError `request_malformed` for the position of another shard, whose commits stand in no
 * order with the aggregate's; `event_unknown`, `event_invalid`, `log_unavailable`
 */
export const stateAt = async (
  store: EventStore,
  folds: Readonly<Record<AggregateType, Fold>>,
  { ref, point }: { readonly ref: AggregateRef; readonly point: LogPoint | null },
): Promise<StateAt> => {
  const shard = shardOf(ref.organization, store.shards);
  if (point?.kind === "position" && point.shard !== shard) {
    throw new DomainError(
      "request_malformed",
      `The ${ref.aggregate} stands in shard ${shard}: a position of shard ${point.shard} is neither before nor after its commits.`,
    );
  }
  const { initialState, evolve } = folds[ref.aggregate];
  let state = initialState();
  let last: StoredCommit | null = null;
  let commits = 0;
  const scope = {
    organization: ref.organization,
    aggregate: { type: ref.aggregate, id: ref.id },
  };
  const { state: stream } = await store.jsm.streams.info(streamOf(shard));
  const until = point?.kind === "position" ? point.sequence : stream.last_seq;
  for await (const stored of readStoredCommits(store, { shard, scope, until })) {
    if (point?.kind === "time" && stored.storedAt > point.at) break;
    state = eventsOf(stored).reduce(evolve, state);
    last = stored;
    commits += 1;
  }
  return { ref, state, commits, last };
};
