/**
 * Removes snapshots that were given up, at the provider that has them: a configuration's by a commit for each,
 * those of any other session when it is deleted. Whoever dies at it, or cannot reach the provider, leaves the
 * commit unanswered, and it comes again; so does one of a provider that holds the snapshot while the session's
 * sandbox is still there. To remove what is gone already does nothing.
 */
import type { StoredSnapshot } from "#contracts/configuration/settings";
import { DomainError } from "#contracts/errors";
import { idSchema } from "#contracts/ids";
import { eventsOf } from "#event-store/aggregates/load";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import type { RecordedCommit } from "#event-store/reading/recorded";
import { startReactor } from "#event-store/workers/reactor";
import type { Worker } from "#event-store/workers/worker";
import type { SandboxProvider } from "#sandbox/provider/provider";
import { findSession } from "../../sessions/session-log.ts";
import { snapshotsTakenBy } from "./taken-by.ts";

const name = "snapshot-remover";

/** With up to a minute between two attempts, about five hours; then the commit is a dead letter. */
const maxAttempts = 300;

export interface SnapshotRemoverDeps {
  readonly store: EventStore;
  readonly provider: Pick<SandboxProvider, "type" | "deleteSnapshot">;
  readonly log: Log;
  readonly maxAttempts?: number;
}

export const startSnapshotRemover = (deps: SnapshotRemoverDeps): Promise<Worker> =>
  startReactor(deps.store, {
    name,
    aggregates: ["configuration", "session"],
    events: ["ConfigurationSnapshotDiscarded", "SessionStopped"],
    log: deps.log,
    maxAttempts: deps.maxAttempts ?? maxAttempts,
    react: async (recorded) => {
      for (const snapshot of await givenUpBy(deps.store, recorded)) await remove(deps, snapshot);
    },
  });

/** What nobody needs any more since this commit. */
const givenUpBy = async (
  store: EventStore,
  recorded: RecordedCommit,
): Promise<readonly StoredSnapshot[]> => {
  if (recorded.ref.aggregate === "configuration") {
    return eventsOf(recorded).flatMap(({ type, data }) =>
      type === "ConfigurationSnapshotDiscarded" ? [data.snapshot] : [],
    );
  }
  const organization = idSchema("organization").parse(recorded.ref.organization);
  const sessionId = idSchema("session").parse(recorded.ref.id);
  const session = await findSession(store, { organization, session: sessionId });
  // What a setup session has taken is its configuration's to give up.
  if (session === null || session.kind === "setup") return [];
  return snapshotsTakenBy(store, { organization, sessionId, provider: session.provider });
};

/** @throws DomainError `sandbox_provider_changed`; what the provider throws */
const remove = async (
  { provider, log }: SnapshotRemoverDeps,
  { snapshotId, provider: holder }: StoredSnapshot,
): Promise<void> => {
  if (provider.type !== holder) {
    throw new DomainError(
      "sandbox_provider_changed",
      `The snapshot is at "${holder}", and this runner works with "${provider.type}".`,
      { fields: { snapshotId, provider: holder, present: provider.type } },
    );
  }
  if (!provider.deleteSnapshot) {
    // No later attempt would find it otherwise.
    log.warn({ snapshotId, provider: holder }, "the provider removes no snapshots; it stays there");
    return;
  }
  await provider.deleteSnapshot(snapshotId);
  log.info({ snapshotId, provider: holder }, "a snapshot was removed");
};
