/** Runners that let sessions go, as at each deployment, with real processes on stand-in sandboxes. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { SessionId } from "#contracts/ids";
import type { SessionEvent } from "#contracts/session/events";
import { openLeases } from "#event-store/leases/leases";
import { answerOf } from "./testing/agent-conversation.ts";
import { patience, type RunnerStack, startRunnerStack } from "./testing/runner-stack.ts";

/** Whoever had to wait for a lease to run out would still wait when the test is over. */
const settings = { LEASE_TTL_MS: "600000", PAUSES: "true" };

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack();
}, 120_000);
afterEach(() => test.endRunners(), 60_000);
afterAll(() => test.close(), 60_000);

const startRunner = (more: Readonly<Record<string, string>> = {}) =>
  test.startRunner({ ...settings, ...more });

const timesOf = async (sessionId: SessionId, type: SessionEvent["type"]) =>
  (await test.events(sessionId)).filter((event) => event.type === type).length;

it("a runner that is stopped hands its sessions to another in the middle of their answers", async () => {
  const answers = test.host.holdAnswers("word", 2);
  const sessionId = await test.create("one");
  const watcher = test.watch(sessionId);
  const first = await startRunner();
  await answers.reached;
  await test.ask(sessionId, "two");
  await startRunner();
  await first.end("SIGTERM");
  await vi.waitUntil(async () => (await timesOf(sessionId, "SandboxReady")) === 2, patience);
  expect(test.host.paused()).toEqual([]);
  answers.open();
  await test.expectAnswered(sessionId, ["one", "two"], watcher);
  // One answer to each, none of them cut off, and each streamed whole to whoever watched all along.
  const said = watcher.messages().filter(({ role }) => role === "assistant");
  expect(said).toHaveLength(2);
  expect(said.map(({ id }) => watcher.streamed(id))).toEqual([answerOf("one"), answerOf("two")]);
  watcher.close();
}, 300_000);

it("the last runner that is stopped puts the sandboxes away, and the next one goes on", async () => {
  const answers = test.host.holdAnswers("tool");
  const sessionId = await test.create("one");
  const watcher = test.watch(sessionId);
  const first = await startRunner();
  await answers.reached;
  await first.end("SIGTERM");
  await vi.waitUntil(() => test.host.paused().includes(`${sessionId}#0`), patience);
  answers.open();
  await startRunner();
  await test.expectAnswered(sessionId, ["one"], watcher);
  watcher.close();
}, 300_000);

it("a runner that is full lets a session go that rests, and takes it again when it is asked", async () => {
  await startRunner({ CAPACITY: "1" });
  const ttlMs = Number(settings.LEASE_TTL_MS);
  const leases = await openLeases(test.stack.program.platform.store, "owner", { ttlMs });
  const resting = await test.create("one");
  const watcher = test.watch(resting);
  await test.expectAnswered(resting, ["one"], watcher);
  const other = await test.create("another");
  await vi.waitUntil(async () => (await leases.holder(resting)) === null, patience);
  expect(await leases.holder(other)).not.toBeNull();
  expect(test.host.running()).toContain(`${resting}#0`);
  await test.ask(resting, "two");
  await test.expectAnswered(resting, ["one", "two"], watcher);
  watcher.close();
}, 300_000);
