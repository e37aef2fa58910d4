/** Runners that die while they try a session's services, with real processes on stand-in sandboxes. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { createConfiguration } from "#contracts/http/configurations";
import { runServices } from "#contracts/http/services";
import { createSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import { faultedSession } from "../testing/faults/faulted-session.ts";
import type { RunnerProcess } from "./testing/runner-process.ts";
import { patience, type RunnerStack, startRunnerStack } from "./testing/runner-stack.ts";

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack();
}, 120_000);
afterEach(() => test.endRunners(), 60_000);
afterAll(() => test.close(), 60_000);

const { saidIn } = faultedSession(() => test);

let sessionId: SessionId;
beforeEach(async () => {
  const { client } = test.stack;
  const body = { name: "Shop", serviceCommands: [{ name: "web", command: "npm start" }] };
  const { configurationId } = await client.call(createConfiguration, { body });
  const created = { title: "Try", configurationId };
  ({ sessionId } = await client.call(createSession, { headers: {}, body: created }));
}, 60_000);

const tryServices = (requestId: string) =>
  test.stack.client.call(runServices, {
    params: { sessionId },
    headers: { "idempotency-key": requestId },
  });

const resultsInLog = async () =>
  (await test.events(sessionId)).flatMap(({ type, data }) =>
    type === "ServicesTried" ? [{ requestId: data.requestId, services: data.services }] : [],
  );

const ended = { name: "web", status: "ended", exitCode: 0, detail: null };

/** Waits until those who watch have been told how the trial went. */
const untilTold = (requestId: string) =>
  vi.waitFor(async () => {
    const told = (await saidIn(sessionId, "auto_start_finished")).map(({ message }) => message);
    expect(told).toContainEqual({
      ...{ type: "auto_start_finished", requestId },
      ...{ services: [ended], failure: null },
    });
  }, patience);

const deaths: Readonly<Record<string, () => Promise<RunnerProcess>>> = {
  "in the middle of it": async () => {
    const held = test.host.holdServices();
    const runner = await test.startRunner();
    await tryServices("one");
    await held.reached;
    await runner.end("SIGKILL");
    held.open();
    return runner;
  },
  "after it has recorded how it went, and before it has told so": async () => {
    const runner = await test.startMortal({ type: "auto_start_finished" });
    await tryServices("one");
    return runner;
  },
};

it.each(Object.entries(deaths))(
  "a trial of services whose runner is killed %s comes to its end, and people are told",
  async (_, die) => {
    const runner = await die();
    await runner.ended;
    expect(await saidIn(sessionId, "auto_start_finished")).toEqual([]);
    await test.startRunner();
    await untilTold("one");
    expect(await resultsInLog()).toEqual([{ requestId: "one", services: [ended] }]);

    // Nothing is left of it that would hold up the next one.
    await tryServices("two");
    await untilTold("two");
  },
  300_000,
);
