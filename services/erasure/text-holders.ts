import { isDeepStrictEqual } from "node:util";
import type { AggregateRef, StoredEvent } from "#contracts/commit";
import { markersOf, takeText } from "#contracts/erasure/text-fields";
import { definitionOf } from "#contracts/event-registry";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { LogScope } from "#event-store/audit/scope";
import { readStoredCommits, type StoredCommit } from "#event-store/audit/stored-commits";
import { lastSequence } from "#event-store/reading/commit-feed";
import type { EventStore } from "#event-store/event-store";
import { shardOf } from "#event-store/sharding";

/** Whose text is erased: one session's, or all of the organisation's. */
export interface ErasureTarget {
  readonly organization: OrganizationId;
  readonly session: SessionId | null;
}

/** A delivery in the inbox that a session's run came from. */
interface RunDelivery {
  readonly triggerId: string;
  readonly deliveryId: string;
}

export interface TextHolders {
  readonly aggregates: readonly AggregateRef[];
  readonly deliveries: readonly RunDelivery[];
  /** Events whose text stands in the log in the open, since before text was sealed; it stays there. */
  readonly unsealedEvents: number;
}

/** The aggregates that hold the target's text, as the log has them now. */
export const findTextHolders = async (
  store: EventStore,
  { organization, session }: ErasureTarget,
): Promise<TextHolders> => {
  const holders = new Holders();
  if (session === null) {
    for await (const stored of commitsIn(store, { organization })) holders.add(stored);
    return holders.found();
  }
  // The session and its transcript have the same id.
  const own = { organization, aggregate: { type: null, id: session } };
  const runs: string[] = [];
  for await (const stored of commitsIn(store, own)) {
    holders.add(stored);
    runs.push(...stored.commit.events.flatMap(runOf));
  }
  for (const id of runs) {
    const run = { organization, aggregate: { type: "run", id } } as const;
    for await (const stored of commitsIn(store, run)) holders.add(stored);
  }
  const invocations = new Set<string>();
  const all = { organization, aggregate: { type: "invocation", id: "*" } } as const;
  for await (const stored of commitsIn(store, all)) {
    const { ref, commit } = stored;
    if (commit.events.some(({ data }) => data["sessionId"] === session)) invocations.add(ref.id);
    if (invocations.has(ref.id)) holders.add(stored);
  }
  return holders.found();
};

/** As they are stored: nothing of this needs the text, or may depend on its key. */
async function* commitsIn(store: EventStore, scope: LogScope): AsyncGenerator<StoredCommit> {
  const shard = shardOf(scope.organization ?? "", store.shards);
  const until = await lastSequence(store, shard);
  yield* readStoredCommits({ ...store, dataKeys: null }, { shard, scope, until });
}

const runOf = ({ type, data }: StoredEvent): string[] => {
  if (type !== "SessionCreated") return [];
  const { runId } = data["origin"] as { readonly runId?: string };
  return runId === undefined ? [] : [runId];
};

class Holders {
  readonly #aggregates = new Map<string, AggregateRef>();
  readonly #deliveries: RunDelivery[] = [];
  #unsealedEvents = 0;

  add({ ref, commit }: StoredCommit): void {
    // Policies and settings hold no text.
    if (ref.aggregate === "policy" || ref.aggregate === "organization") return;
    this.#aggregates.set(`${ref.aggregate}/${ref.id}`, ref);
    this.#unsealedEvents += commit.events.filter(isInTheOpen).length;
    for (const { type, data } of commit.events) {
      if (type !== "TriggerMatched") continue;
      const { triggerId, dedupKey } = data as { triggerId: string; dedupKey: string };
      this.#deliveries.push({ triggerId, deliveryId: dedupKey });
    }
  }

  found(): TextHolders {
    return {
      aggregates: [...this.#aggregates.values()],
      deliveries: this.#deliveries,
      unsealedEvents: this.#unsealedEvents,
    };
  }
}

const isInTheOpen = (event: StoredEvent): boolean => {
  const definition = definitionOf(event.type);
  const { fields, values } = takeText(definition, event.data);
  return fields.length > 0 && !isDeepStrictEqual(values, markersOf(definition, fields));
};
