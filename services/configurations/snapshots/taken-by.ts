import type { StoredSnapshot } from "#contracts/configuration/settings";
import type { OrganizationId, SessionId } from "#contracts/ids";
import { eventsOf } from "#event-store/aggregates/load";
import type { EventStore } from "#event-store/event-store";
import { readAggregate } from "#event-store/reading/read-aggregate";

export interface TakingSession {
  readonly organization: OrganizationId;
  readonly sessionId: SessionId;
  /** Null for one that never had a sandbox. */
  readonly provider: string | null;
}

/** Every snapshot that stands in the session's log, whatever it was taken for; its state has the newest ones only. */
export const snapshotsTakenBy = async (
  store: EventStore,
  { organization, sessionId, provider }: TakingSession,
): Promise<readonly StoredSnapshot[]> => {
  const taken = new Set<string>();
  const ref = { organization, aggregate: "session", id: sessionId } as const;
  for await (const recorded of readAggregate(store, ref)) {
    for (const { type, data } of eventsOf(recorded)) {
      if (type === "SnapshotTaken" || type === "SandboxPutAway" || type === "MigrationStarted") {
        taken.add(data.snapshotId);
      }
    }
  }
  return provider === null ? [] : [...taken].map((snapshotId) => ({ snapshotId, provider }));
};
