/** A configuration's snapshot at an emulated E2B, taken in the middle of a real agent's turn, after its setup session is gone. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createConfiguration, getConfiguration } from "#contracts/http/configurations";
import { createSession, deleteSession, getSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import { domainEventsOf } from "#event-store/aggregates/domain-events";
import { readAggregate } from "#event-store/reading/read-aggregate";
import type { EmulatedAccount } from "#sandbox/providers/e2b/testing/emulated-account";
import { type EmulatedCloud, startEmulatedCloud } from "../../runner/testing/emulated-cloud.ts";
import type { TestStack } from "../../testing/test-stack.ts";

const patience = { timeout: 120_000, interval: 100 };

let cloud: EmulatedCloud;
let stack: TestStack;
let account: EmulatedAccount;
beforeAll(async () => {
  cloud = await startEmulatedCloud();
  ({ stack, account } = cloud);
}, 120_000);
afterAll(() => cloud.close(), 120_000);

const sandboxesOf = (sessionId: SessionId) =>
  account.emulator.sandboxes
    .list()
    .filter(({ metadata }) => Object.values(metadata).includes(sessionId));

const isAnswered = async (sessionId: SessionId): Promise<boolean> => {
  const view = await stack.client.call(getSession, { params: { sessionId }, query: {} });
  return view.openPrompts === 0 && view.status === "running";
};

const eventTypesOf = async (id: SessionId): Promise<readonly string[]> => {
  const found: string[] = [];
  const { store } = stack.program.platform;
  const ref = { organization: stack.organization, aggregate: "session", id } as const;
  for await (const { commit } of readAggregate(store, ref)) {
    found.push(...domainEventsOf(commit).map(({ type }) => type));
  }
  return found;
};

it("is what a new session of the configuration begins with", async () => {
  const { client } = stack;
  const { configurationId } = await client.call(createConfiguration, { body: { name: "Shop" } });
  const setup = await client.call(createSession, {
    headers: {},
    body: { kind: "setup", configurationId, prompt: "Please save the setup." },
  });
  const snapshot = await vi.waitUntil(async () => {
    const view = await client.call(getConfiguration, { params: { configurationId } });
    return view.snapshot;
  }, patience);
  expect(snapshot.provider).toBe("e2b");
  // The turn has survived the snapshot in its midst, in the same sandbox.
  await vi.waitUntil(() => isAnswered(setup.sessionId), patience);
  expect(await eventTypesOf(setup.sessionId)).not.toContain("SandboxWarned");

  await client.call(deleteSession, { params: { sessionId: setup.sessionId }, query: {} });
  await vi.waitUntil(() => sandboxesOf(setup.sessionId).length === 0, patience);

  const { sessionId } = await client.call(createSession, {
    headers: {},
    body: { configurationId, prompt: "A greeting, please" },
  });
  await vi.waitUntil(() => isAnswered(sessionId), patience);
  expect(sandboxesOf(sessionId).map(({ template }) => template)).toEqual([snapshot.snapshotId]);
  expect(await eventTypesOf(sessionId)).not.toContain("SandboxWarned");
  expect(account.emulator.sandboxes.snapshots()).toEqual([snapshot.snapshotId]);
}, 300_000);
