/** Sessions whose sandboxes end, with real runner processes on stand-in sandboxes. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { SessionId } from "#contracts/ids";
import { patience, type RunnerStack, startRunnerStack } from "./testing/runner-stack.ts";

/** No machine is so slow that a session is not moved within this time. */
const graceSeconds = 300;
const lifetimeMs = graceSeconds * 1_000 + 500;

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack({ SANDBOX_GRACE_SECONDS: String(graceSeconds) });
}, 120_000);
afterEach(() => test.endRunners(), 60_000);
afterAll(() => test.close(), 60_000);

/** A session in the middle of its first answer, in a sandbox that has to be left at once. */
const startInExpiringSandbox = async () => {
  const answers = test.host.holdAnswers("tool");
  test.host.setLifetime(lifetimeMs);
  const sessionId = await test.create("one");
  const watcher = test.watch(sessionId);
  await answers.reached;
  test.host.setLifetime(null);
  return { sessionId, watcher, answers };
};

const typesOf = async (sessionId: SessionId) =>
  (await test.events(sessionId)).map(({ type }) => type);

const untilEvent = (sessionId: SessionId, type: string) =>
  vi.waitUntil(async () => (await typesOf(sessionId)).includes(type as never), patience);

it("a session in use goes on in another sandbox once its answer is whole, with what was queued", async () => {
  await test.startRunner();
  const { sessionId, watcher, answers } = await startInExpiringSandbox();
  await untilEvent(sessionId, "MigrationRequested");
  await vi.waitUntil(async () => (await test.status(sessionId)) === "migrating", patience);
  await test.ask(sessionId, "two");
  await watcher.opened;
  answers.open();
  await test.expectAnswered(sessionId, ["one", "two"], watcher);
  expect(test.host.running()).toContain(`${sessionId}#1`);
  expect(watcher.statuses.slice(-2)).toEqual(["migrating", "running"]);
  watcher.close();
}, 300_000);

it("an answer that takes too long is cut off, and given in the next sandbox", async () => {
  await test.startRunner({ MOVE_MS: String(lifetimeMs) });
  const { sessionId, watcher, answers } = await startInExpiringSandbox();
  await untilEvent(sessionId, "SandboxMigrated");
  answers.open();
  await test.expectAnswered(sessionId, ["one"], watcher);
  expect(watcher.messages().map(({ failure }) => failure?.code)).toContain("agent_aborted");
  watcher.close();
}, 300_000);

it.each(["snapshot", "create"] as const)(
  "a session whose %s fails goes on where it is, and is moved at a later attempt",
  async (operation) => {
    await test.startRunner();
    const { sessionId, watcher, answers } = await startInExpiringSandbox();
    await untilEvent(sessionId, "MigrationRequested");
    test.host.refuse(operation, 1);
    answers.open();
    await untilEvent(sessionId, "MigrationFailed");
    await test.ask(sessionId, "two");
    await untilEvent(sessionId, "SandboxMigrated");
    await test.expectAnswered(sessionId, ["one", "two"], watcher);
    expect(test.host.running()).toContain(`${sessionId}#2`);
    watcher.close();
  },
  300_000,
);

it.each(["snapshot", "create", "terminate"] as const)(
  "a runner that is killed while it moves a session (at the %s) leaves one sandbox and no prompt behind",
  async (operation) => {
    const first = await test.startRunner();
    const { sessionId, watcher, answers } = await startInExpiringSandbox();
    await untilEvent(sessionId, "MigrationRequested");
    await test.ask(sessionId, "two");
    const held = test.host.hold(operation);
    answers.open();
    await held.reached;
    await first.end("SIGKILL");
    held.open();
    await test.startRunner();
    await test.expectAnswered(sessionId, ["one", "two"], watcher);
    await untilEvent(sessionId, "SandboxMigrated");
    watcher.close();
  },
  300_000,
);

it("a session that nobody uses is put away instead", async () => {
  await test.startRunner();
  test.host.setLifetime(lifetimeMs);
  // Without a prompt: nobody uses it, however long anything takes.
  const sessionId = await test.create();
  await vi.waitUntil(async () => (await test.status(sessionId)) === "paused", patience);
  expect(test.host.running().filter((name) => name.startsWith(sessionId))).toEqual([]);
  expect(await typesOf(sessionId)).not.toContain("MigrationRequested");
  test.host.setLifetime(null);
  const watcher = test.watch(sessionId);
  await test.ask(sessionId, "one");
  await test.expectAnswered(sessionId, ["one"], watcher);
  watcher.close();
}, 300_000);
