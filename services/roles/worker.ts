import { openLeases } from "#event-store/leases/leases";
import { watchReplicas } from "#event-store/replicas/watch-replicas";
import { startTimerWorker } from "#event-store/timers/timers";
import { openProgress } from "#projections/wait-for-position";
import { openFullResults } from "../actions/full-results/full-result-table.ts";
import { createKeepFullResult } from "../actions/full-results/keep.ts";
import { actionTimerHandlers, startActionWorkers } from "../actions/workers.ts";
import type { ActionRegistry } from "../actions/sources/registry.ts";
import { startSlackNotifier } from "../approvals/slack/notifier.ts";
import type { SlackApp } from "../approvals/slack/slack-app.ts";
import { startRunApprovals } from "../automations/run-approvals.ts";
import { startRunOpener } from "../automations/run-opener.ts";
import { startFollowingSetups } from "../configurations/follow-setups.ts";
import {
  lookForUnneeded,
  startSnapshotWatch,
  unneededSnapshotsTimer,
} from "../configurations/snapshots/snapshot-watch.ts";
import { startEraser } from "../erasure/eraser.ts";
import type { Platform } from "../platform.ts";
import { type Running, runningStack } from "../running.ts";
import { openDataKeys } from "../secrets/data-keys.ts";
import { knownSnapshotVersion } from "../sandboxes/known-snapshot-version.ts";
import { idleLookTimer, lookForIdle, startIdleWatch } from "../sessions/idle/idle-watch.ts";
import {
  expiryLookTimer,
  lookForExpiry,
  startExpiryWatch,
} from "../sessions/migration/expiry-watch.ts";
import { startFollowingOrganizations } from "../sessions/retention/follow-organization.ts";
import { retentionTimer } from "../sessions/retention/looks.ts";
import { lookForUnused, startRetentionWatch } from "../sessions/retention/retention-watch.ts";
import { startTriggerWorker } from "../triggers/worker.ts";

/** Does what commits, deliveries and timers ask for: executes actions, matches triggers, opens runs. */
export const startWorkerRole = async (
  { store, sql, keys, log, instance, config }: Platform,
  { registry, slack }: { readonly registry: ActionRegistry; readonly slack: SlackApp },
): Promise<Running> => {
  const started = runningStack();
  try {
    const vault = openDataKeys({ sql, wrappingKey: keys.dataKeyWrapping });
    const fullResults = openFullResults({ sql, keys: vault });
    const clock = (): Date => new Date();
    const keepFullResult = createKeepFullResult({ store, table: fullResults, clock, log });
    started.add(await startActionWorkers(store, { registry, keepFullResult, instance, log }));
    const idle = {
      store,
      log,
      leases: await openLeases(store, "runtime"),
      idleMs: config.SESSION_IDLE_SECONDS * 1_000,
    };
    started.add(await startIdleWatch(idle));
    const { leases } = idle;
    const expiry = { store, log, leases, ...migrationTimes(config) };
    started.add(await startExpiryWatch(expiry));
    const retention = { ...idle, deploymentDays: config.SESSION_AUTO_DELETE_DAYS ?? null };
    started.add(await startRetentionWatch(retention));
    started.add(await startFollowingOrganizations(retention));
    const progress = await openProgress(sql);
    started.add({ stop: () => progress.close() });
    const snapshots = { store, sql, progress, log };
    started.add(await startSnapshotWatch(snapshots));
    started.add(await startEraser({ store, vault, log }));
    const handlers = {
      ...actionTimerHandlers(store, fullResults),
      [idleLookTimer]: lookForIdle(idle),
      [expiryLookTimer]: lookForExpiry(expiry),
      [retentionTimer]: lookForUnused(retention),
      [unneededSnapshotsTimer]: lookForUnneeded(snapshots),
    };
    started.add(await startTimerWorker(store, { handlers, log }));
    started.add(await startTriggerWorker(store, { log }));
    started.add(await startRunOpener({ store, registry, log, defaultModel: config.MODEL }));
    started.add(await startFollowingSetups({ store, log, versionKey: knownSnapshotVersion(log) }));
    started.add(await startRunApprovals({ store, log, defaultModel: config.MODEL }));
    const { SLACK_APPROVALS_CHANNEL: channel } = config;
    if (channel !== undefined) {
      started.add(await startSlackNotifier(store, { slack, channel, log }));
    }
    if (config.NATS_MONITORS !== undefined) {
      started.add(watchReplicas({ monitors: config.NATS_MONITORS, log }));
    }
    return started;
  } catch (error) {
    await started.stop();
    throw error;
  }
};

const migrationTimes = ({ SANDBOX_GRACE_SECONDS }: Platform["config"]) => ({
  graceMs: SANDBOX_GRACE_SECONDS * 1_000,
  retryMs: Math.min(10_000, (SANDBOX_GRACE_SECONDS * 1_000) / 60),
});
