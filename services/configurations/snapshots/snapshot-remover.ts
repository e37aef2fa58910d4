/**
 * Removes snapshots that were given up, at the provider that has them. Each has one commit that says so;
 * whoever dies at it, or cannot reach the provider, leaves the commit unanswered, and it comes again. To
 * remove what is gone already does nothing.
 */
import type { StoredSnapshot } from "#contracts/configuration/settings";
import { DomainError } from "#contracts/errors";
import { eventsOf } from "#event-store/aggregates/load";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { startReactor } from "#event-store/workers/reactor";
import type { Worker } from "#event-store/workers/worker";
import type { SandboxProvider } from "#sandbox/provider/provider";

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
    aggregates: ["configuration"],
    events: ["ConfigurationSnapshotDiscarded"],
    log: deps.log,
    maxAttempts: deps.maxAttempts ?? maxAttempts,
    react: async (recorded) => {
      for (const { type, data } of eventsOf(recorded)) {
        if (type === "ConfigurationSnapshotDiscarded") await remove(deps, data.snapshot);
      }
    },
  });

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
