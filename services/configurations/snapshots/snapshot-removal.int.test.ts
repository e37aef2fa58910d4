/** Snapshots that nobody needs any more, on a real log, with real read models and the local provider's real files. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type ConfigurationId, newId, type SessionId } from "#contracts/ids";
import type { SessionCommand } from "#contracts/session/commands";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { loadAggregate } from "#event-store/aggregates/load";
import { readAggregate } from "#event-store/reading/read-aggregate";
import { startTimerWorker, type TimerHandler } from "#event-store/timers/timers";
import { getConfiguration } from "#projections/configurations/queries";
import { openTestReadModels, type TestReadModels } from "#projections/testing/test-read-models";
import { openProgress } from "#projections/wait-for-position";
import { layoutOf, makeFolders } from "#sandbox/providers/local/layout";
import { openLocalProvider, type LocalProvider } from "#sandbox/providers/local/provider";
import { openSnapshotStore } from "#sandbox/providers/local/snapshots";
import { noSources } from "../../actions/testing/no-sources.ts";
import { runningStack } from "../../running.ts";
import { deleteSession } from "../../sessions/commands.ts";
import {
  createSession,
  type CreateSessionRequest,
} from "../../sessions/creation/create-session.ts";
import { sessionAggregate } from "../../sessions/aggregate/decider.ts";
import { archiveConfiguration } from "../commands.ts";
import { configurationAggregate } from "../decider.ts";
import { startFollowingSetups } from "../follow-setups.ts";
import { createTestConfiguration } from "../testing/test-configuration.ts";
import { startSnapshotRemover } from "./snapshot-remover.ts";
import { lookForUnneeded, startSnapshotWatch, unneededSnapshotsTimer } from "./snapshot-watch.ts";

const patience = { timeout: 30_000, interval: 50 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const organization = newId("organization");
const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

let models: TestReadModels;
let provider: LocalProvider;
let dataDir: string;
let deps: Parameters<typeof createSession>[0];
/** How often each snapshot was looked at. */
const looks = new Map<string, number>();
const started = runningStack();
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "proliferate-snapshots-"));
  models = await openTestReadModels();
  await models.startProjector();
  const { store, sql } = models;
  deps = { store, registry: noSources, log, defaultModel: "claude-sonnet-4.6" };
  provider = await openLocalProvider({ dataDir, isolation: "none", localRepositories: "refuse" });
  started.add({ stop: () => provider[Symbol.asyncDispose]() });
  const progress = await openProgress(sql);
  started.add({ stop: () => progress.close() });
  const watch = { store, sql, progress, graceMs: 500, log };
  const look = lookForUnneeded(watch);
  const counting: TimerHandler = async (timer) => {
    const handled = await look(timer);
    for (const id of timer.data["snapshots"] as readonly string[]) {
      if (!handled) looks.set(id, (looks.get(id) ?? 0) + 1);
    }
    return handled;
  };
  const versionKey = () => Promise.resolve(null);
  started.add(await startFollowingSetups({ store, log, versionKey }));
  started.add(await startSnapshotWatch(watch));
  started.add(await startSnapshotRemover({ store, provider, log }));
  const handlers = { [unneededSnapshotsTimer]: counting };
  started.add(await startTimerWorker(store, { handlers, log }));
});
afterAll(async () => {
  await started.stop();
  await models[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const open = async (request: Partial<CreateSessionRequest>): Promise<SessionId> => {
  const origin = { kind: "user", userId: newId("user") } as const;
  const asked = { organization, origin, repositories: [], prompt: null, idempotencyKey: null };
  return (await createSession(deps, { ...asked, ...request }, meta())).sessionId;
};

const tell = (id: SessionId, command: SessionCommand) =>
  execute(models.store, sessionAggregate, { organization, id }, command, meta());

const beginSandbox = async (session: SessionId): Promise<void> => {
  await tell(session, { type: "AcquireOwnership", instance: "runner", epoch: 1 });
  await tell(session, { type: "StartSandbox", epoch: 1, provider: "local" });
  const sandbox = { sandboxId: `local-${session}`, agentSessionId: "agent", bootMs: 1 };
  await tell(session, { type: "ReportSandboxReady", epoch: 1, ...sandbox, expiresAt: null });
};

/** Files at the provider, as those of a sandbox would be. */
const takeSnapshot = async (session: SessionId): Promise<string> => {
  const layout = layoutOf(dataDir, session);
  await makeFolders(layout);
  return openSnapshotStore(dataDir).take(layout, session);
};

/** As its agent's `save_snapshot` does. */
const saveSnapshot = async (session: SessionId): Promise<string> => {
  const snapshotId = await takeSnapshot(session);
  const requestId = newId("command");
  await tell(session, { type: "RequestSnapshot", requestId, message: null });
  await tell(session, { type: "ReportSnapshotTaken", epoch: 1, requestId, snapshotId });
  return snapshotId;
};

const isThere = async (snapshotId: string): Promise<boolean> =>
  (await provider.listSnapshots()).some((entry) => entry.snapshotId === snapshotId);

const configurationState = async (id: ConfigurationId) => {
  const { state } = await loadAggregate(models.store, configurationAggregate, { organization, id });
  if (state.status === "none") throw new Error("There is no such configuration.");
  return state;
};

const begins = (id: ConfigurationId, snapshotId: string) =>
  vi.waitFor(async () => {
    expect(await configurationState(id)).toMatchObject({ snapshot: { snapshotId } });
  }, patience);

const discards = async (id: ConfigurationId): Promise<readonly string[]> => {
  const found: string[] = [];
  const ref = { organization, aggregate: "configuration", id } as const;
  for await (const { commit } of readAggregate(models.store, ref)) {
    found.push(...commit.events.map(({ type }) => type));
  }
  return found.filter((type) => type === "ConfigurationSnapshotDiscarded");
};

it("a snapshot that another one has replaced is removed once no session needs it, and no sooner", async () => {
  const { configurationId } = await createTestConfiguration(models.store, organization);
  const setup = await open({ kind: "setup", configurationId });
  await beginSandbox(setup);
  const older = await saveSnapshot(setup);
  await begins(configurationId, older);
  const waiting = await open({ configurationId, provisioning: "deferred" });
  const newer = await saveSnapshot(setup);
  await begins(configurationId, newer);

  await vi.waitUntil(() => (looks.get(older) ?? 0) > 0, patience);
  expect(await isThere(older)).toBe(true);

  await beginSandbox(waiting);
  await vi.waitUntil(async () => !(await isThere(older)), patience);
  expect(await isThere(newer)).toBe(true);
  expect(await configurationState(configurationId)).toMatchObject({
    snapshot: { snapshotId: newer },
    formerSnapshots: [],
  });
  expect(await discards(configurationId)).toHaveLength(1);
});

it("what a deleted setup session has left goes, and what its configuration has goes when that is archived", async () => {
  const { configurationId: id } = await createTestConfiguration(models.store, organization);
  const setup = await open({ kind: "setup", configurationId: id });
  await beginSandbox(setup);
  const putAway = await takeSnapshot(setup);
  await tell(setup, { type: "ReportPutAway", epoch: 1, snapshotId: putAway });
  const saved = await saveSnapshot(setup);
  await begins(id, saved);
  expect(await isThere(putAway)).toBe(true);

  await deleteSession(deps, { organization, session: setup }, meta());
  await vi.waitUntil(async () => !(await isThere(putAway)), patience);
  expect(await isThere(saved)).toBe(true);

  await archiveConfiguration(models.store, { organization, id }, meta());
  await vi.waitUntil(async () => !(await isThere(saved)), patience);
  await vi.waitFor(async () => {
    const shown = await getConfiguration(models.sql, { organization, id });
    expect(shown).toMatchObject({ archived: true, snapshot: null });
  }, patience);
});
