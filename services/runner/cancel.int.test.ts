/** Prompts that are taken back at the stages at which their owner is at something else, or there is none. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { cancelSession, getSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import {
  patience,
  type RunnerStack,
  startRunnerStack,
  type Watcher,
} from "./testing/runner-stack.ts";

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack();
}, 120_000);
afterEach(() => test.endRunners(), 60_000);
afterAll(() => test.close(), 60_000);

const cancel = (sessionId: SessionId) =>
  test.stack.client.call(cancelSession, { params: { sessionId } });

const outcomes = async (sessionId: SessionId) =>
  (await test.events(sessionId)).flatMap(({ type, data }) =>
    type === "PromptFinished" ? [data.outcome] : [],
  );

const untilNothingIsOpen = (sessionId: SessionId) =>
  vi.waitUntil(async () => {
    const view = { params: { sessionId }, query: {} };
    return (await test.stack.client.call(getSession, view)).openPrompts === 0;
  }, patience);

/** Waits until people see that the agent has stopped. */
const untilAborted = (watcher: Watcher) =>
  vi.waitUntil(
    () => watcher.messages().some(({ failure }) => failure?.code === "agent_aborted"),
    patience,
  );

it("a prompt is taken back while its sandbox comes up, and does not wait for that", async () => {
  const held = test.host.hold("ensure");
  const sessionId = await test.create("one");
  const watcher = test.watch(sessionId);
  // Nothing but the test lets it come up.
  await test.startRunner({ START_MS: "600000" });
  await held.reached;
  await test.ask(sessionId, "two");
  await cancel(sessionId);
  await untilNothingIsOpen(sessionId);
  expect(await outcomes(sessionId)).toEqual(["cancelled", "cancelled"]);
  expect(await test.status(sessionId)).toBe("starting");
  held.open();
  await test.ask(sessionId, "three");
  await test.expectAnswered(sessionId, ["three"], watcher);
  watcher.close();
}, 300_000);

it.each(["tool", "word"] as const)(
  "an answer is stopped in the middle of a %s, and the next prompt is answered",
  async (step) => {
    const answers = test.host.holdAnswers(step);
    const sessionId = await test.create("one");
    const watcher = test.watch(sessionId);
    await test.startRunner();
    await answers.reached;
    await cancel(sessionId);
    await untilNothingIsOpen(sessionId);
    expect(await outcomes(sessionId)).toEqual(["cancelled"]);
    await untilAborted(watcher);
    answers.open();
    await test.ask(sessionId, "two");
    const both = ["cancelled", "completed"];
    await vi.waitFor(async () => expect(await outcomes(sessionId)).toEqual(both), patience);
    watcher.close();
  },
  300_000,
);

it("a prompt is taken back while nobody owns its session, and the agent stops", async () => {
  const answers = test.host.holdAnswers("word", 2);
  const sessionId = await test.create("one");
  const watcher = test.watch(sessionId);
  const first = await test.startRunner();
  await answers.reached;
  await first.end("SIGKILL");
  await cancel(sessionId);
  await test.startRunner();
  await untilNothingIsOpen(sessionId);
  expect(await outcomes(sessionId)).toEqual(["cancelled"]);
  await untilAborted(watcher);
  answers.open();
  watcher.close();
}, 300_000);
