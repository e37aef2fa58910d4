/** Ways to a session on a real log: from a configuration, for a setup, as a part of another one, put off. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId, type OrganizationId, type SessionId } from "#contracts/ids";
import type { SessionCommand } from "#contracts/session/commands";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { loadAggregate } from "#event-store/aggregates/load";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import type { Worker } from "#event-store/workers/worker";
import { noSources } from "../../actions/testing/no-sources.ts";
import { archiveConfiguration } from "../../configurations/commands.ts";
import { configurationAggregate } from "../../configurations/decider.ts";
import { startFollowingSetups } from "../../configurations/follow-setups.ts";
import { createTestConfiguration } from "../../configurations/testing/test-configuration.ts";
import { needsOwner } from "../../runner/next-step.ts";
import { deleteSession, queuePrompt } from "../commands.ts";
import { createSession, type CreateSessionRequest } from "./create-session.ts";
import { sessionAggregate } from "../aggregate/decider.ts";

const patience = { timeout: 30_000, interval: 50 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const organization = newId("organization");
const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
const repositories = [{ url: "https://git.example.org/shop.git", ref: "main", path: "shop" }];

let test: TestEventStore;
let following: Worker;
let deps: Parameters<typeof createSession>[0];
beforeAll(async () => {
  test = await openTestEventStore();
  deps = { store: test.store, registry: noSources, log, defaultModel: "claude-sonnet-4.6" };
  following = await startFollowingSetups({
    store: test.store,
    log,
    versionKey: () => Promise.resolve("ab".repeat(32)),
  });
});
afterAll(async () => {
  await following.stop();
  await test.close();
});

const userId = newId("user");
const open = async (request: Partial<CreateSessionRequest> = {}): Promise<SessionId> => {
  const asked: CreateSessionRequest = {
    organization,
    origin: { kind: "user", userId },
    repositories: [],
    prompt: null,
    idempotencyKey: null,
    ...request,
  };
  return (await createSession(deps, asked, meta())).sessionId;
};

const sessionState = async (id: SessionId, of: OrganizationId = organization) => {
  const { state } = await loadAggregate(test.store, sessionAggregate, { organization: of, id });
  if (state.status === "none") throw new Error("There is no such session.");
  return state;
};

const configurationState = async (id: string) => {
  const { state } = await loadAggregate(test.store, configurationAggregate, { organization, id });
  if (state.status === "none") throw new Error("There is no such configuration.");
  return state;
};

const tell = (id: SessionId, command: SessionCommand) =>
  execute(test.store, sessionAggregate, { organization, id }, command, meta());

it("a setup session's services and snapshot are what the next sessions are made from", async () => {
  const { configurationId } = await createTestConfiguration(test.store, organization, {
    repositories,
    previewPorts: [3000],
  });
  const setup = await open({ kind: "setup", configurationId });
  expect(await sessionState(setup)).toMatchObject({ title: "Test", kind: "setup", repositories });
  await vi.waitFor(async () => {
    expect(await configurationState(configurationId)).toMatchObject({
      setup: { status: "running", sessionId: setup },
    });
  }, patience);

  const serviceCommands = [{ name: "web", command: "npm start" }];
  await tell(setup, { type: "AcquireOwnership", instance: "runner", epoch: 1 });
  await tell(setup, { type: "StartSandbox", epoch: 1, provider: "local" });
  await tell(setup, { type: "SaveServiceCommands", commands: serviceCommands });
  await tell(setup, { type: "RequestSnapshot", requestId: "r", message: null });
  await tell(setup, {
    type: "ReportSnapshotTaken",
    epoch: 1,
    requestId: "r",
    snapshotId: "snap-1",
  });
  const snapshot = { snapshotId: "snap-1", provider: "local", versionKey: "ab".repeat(32) };
  await vi.waitFor(async () => {
    expect(await configurationState(configurationId)).toMatchObject({
      setup: { status: "done", sessionId: setup },
      settings: { serviceCommands },
      snapshot,
    });
  }, patience);

  const coding = await sessionState(await open({ configurationId }));
  expect(coding).toMatchObject({
    repositories,
    serviceCommands,
    configuration: { configurationId, snapshot, previewPorts: [3000] },
  });
  await deleteSession(deps, { organization, session: setup }, meta());
  await vi.waitFor(async () => {
    expect(await configurationState(configurationId)).toMatchObject({
      setup: { status: "done", sessionId: null },
      snapshot,
    });
  }, patience);
});

it("what a session cannot be made from is refused with its reason", async () => {
  await expect(open({ kind: "setup" })).rejects.toMatchObject({ code: "configuration_required" });
  const { configurationId } = await createTestConfiguration(test.store, newId("organization"));
  await expect(open({ configurationId })).rejects.toMatchObject({
    code: "configuration_not_found",
  });
  await expect(open({ parentId: newId("session") })).rejects.toMatchObject({
    code: "session_not_found",
  });
  const foreign = newId("organization");
  const parentId = await open({ organization: foreign });
  await expect(open({ parentId })).rejects.toMatchObject({ code: "session_not_found" });
});

it("a request that comes again answers its session, though the configuration is archived by then", async () => {
  const { configurationId } = await createTestConfiguration(test.store, organization, {
    repositories,
  });
  const parentId = await open({ title: "Parent" });
  const request = { configurationId, parentId, idempotencyKey: newId("command") };
  const session = await open(request);
  await archiveConfiguration(test.store, { organization, id: configurationId }, meta());
  await deleteSession(deps, { organization, session: parentId }, meta());
  expect(await open(request)).toBe(session);
  expect(await sessionState(session)).toMatchObject({ parentId, repositories });
  await expect(
    open({ ...request, idempotencyKey: null, parentId: undefined }),
  ).rejects.toMatchObject({ code: "configuration_archived" });
  await expect(open({ ...request, parentId: undefined })).rejects.toMatchObject({
    code: "idempotency_key_reused",
  });
});

it("a sandbox that was put off is made once somebody asks the agent something", async () => {
  const session = await open({ provisioning: "deferred" });
  expect(needsOwner(await sessionState(session))).toBe(false);
  const prompt = { text: "Begin", by: userId, idempotencyKey: null };
  await queuePrompt(deps, { organization, session }, prompt, meta());
  expect(needsOwner(await sessionState(session))).toBe(true);
  const asked = await open({
    provisioning: "deferred",
    prompt: { text: "\n Fix it\n", by: userId },
  });
  expect(await sessionState(asked)).toMatchObject({ title: "Fix it", deferred: false });
});
