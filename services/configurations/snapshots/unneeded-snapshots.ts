/** Which of a configuration's former snapshots no session needs: the read model names the sessions, the log decides. */
import type { ConfigurationId, OrganizationId } from "#contracts/ids";
import { loadAggregate } from "#event-store/aggregates/load";
import type { EventStore } from "#event-store/event-store";
import { formatPosition, parsePosition } from "#event-store/position";
import { lastSequence } from "#event-store/reading/commit-feed";
import { shardOf } from "#event-store/sharding";
import type { Queryable } from "#projections/database";
import { sessionsOfConfiguration } from "#projections/sessions/queries";
import type { Progress } from "#projections/wait-for-position";
import { loadSession } from "../../sessions/session-log.ts";
import { configurationAggregate } from "../decider.ts";
import { needsSnapshot } from "./needs-snapshot.ts";

export interface SnapshotFacts {
  readonly store: EventStore;
  /** The read models. */
  readonly sql: Queryable;
  readonly progress: Pick<Progress, "waitForPosition">;
}

export interface ConfigurationOf {
  readonly organization: OrganizationId;
  readonly configuration: ConfigurationId;
}

/** The ids of the configuration's former snapshots that are not given up yet, as the log has it now. */
export const formerSnapshots = async (
  { store }: SnapshotFacts,
  { organization, configuration: id }: ConfigurationOf,
): Promise<readonly string[]> => {
  const { state } = await loadAggregate(store, configurationAggregate, { organization, id });
  return state.status === "none" ? [] : state.formerSnapshots.map(({ snapshotId }) => snapshotId);
};

/** Whether the read model knows of every session that stands in the log now. */
export const isReadModelReady = async (
  { store, progress }: SnapshotFacts,
  { organization }: ConfigurationOf,
): Promise<boolean> => {
  const shard = shardOf(organization, store.shards);
  const end = await lastSequence(store, shard);
  const options = { models: ["sessions"] };
  const reached = await progress.waitForPosition(formatPosition(shard, end), options);
  return parsePosition(reached).sequence >= end;
};

/** Those of the snapshots that no session of the configuration needs, as the log has the sessions now. */
export const unneededSnapshots = async (
  { store, sql }: SnapshotFacts,
  { organization, configuration }: ConfigurationOf,
  snapshots: readonly string[],
): Promise<readonly string[]> => {
  let left = snapshots;
  for (const id of await sessionsOfConfiguration(sql, { organization, configuration })) {
    if (left.length === 0) break;
    const session = await loadSession(store, { organization, session: id });
    left = left.filter((snapshotId) => !needsSnapshot(session, snapshotId));
  }
  return left;
};
