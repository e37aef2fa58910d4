/** Runners that die at each stage of a session's life, and providers that do not answer. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { getSession } from "#contracts/http/sessions";
import { newId, type SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { requestSnapshot } from "../sessions/commands.ts";
import { patience, type RunnerStack, startRunnerStack } from "./testing/runner-stack.ts";

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack();
}, 120_000);
afterEach(() => test.endRunners(), 60_000);
afterAll(() => test.close(), 60_000);

const askForSnapshot = (session: SessionId) =>
  requestSnapshot(
    test.stack.program.platform,
    { organization: test.stack.organization, session },
    { requestId: newId("command"), message: null },
    newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } }),
  );

/** Each resolves when the runner has come to the stage; what it answers lets those who follow go on. */
const stages: Readonly<Record<string, (sessionId: SessionId) => Promise<() => void>>> = {
  "before it has a lease": () => Promise.resolve(() => undefined),
  "while the sandbox boots": async () => {
    const held = test.host.hold("ensure");
    await held.reached;
    return held.open;
  },
  "in the middle of a tool call": async () => {
    const held = test.host.holdAnswers("tool");
    await held.reached;
    return held.open;
  },
  "in the middle of a text": async () => {
    const held = test.host.holdAnswers("word");
    await held.reached;
    return held.open;
  },
  "in the middle of a snapshot": async (sessionId) => {
    const answers = test.host.holdAnswers("tool");
    const held = test.host.hold("snapshot");
    await answers.reached;
    await askForSnapshot(sessionId);
    await held.reached;
    return () => {
      answers.open();
      held.open();
    };
  },
};

describe("a runner that is killed", () => {
  it.each(Object.entries(stages))(
    "%s is replaced, and nothing is lost or done twice",
    async (_, reach) => {
      const sessionId = await test.create("one");
      const watcher = test.watch(sessionId);
      await test.ask(sessionId, "two");
      const reached = reach(sessionId);
      const first = await test.startRunner();
      const letGo = await reached;
      await first.end("SIGKILL");
      letGo();
      await test.startRunner();
      await test.expectAnswered(sessionId, ["one", "two"], watcher);
      watcher.close();
    },
    300_000,
  );
});

describe("an agent whose server is killed in a sandbox that lives on", () => {
  it.each(["tool", "word"] as const)(
    "in the middle of a %s is started again, people are told, and every prompt is answered once",
    async (step) => {
      const held = test.host.holdAnswers(step);
      const sessionId = await test.create("one");
      const watcher = test.watch(sessionId);
      await test.ask(sessionId, "two");
      await test.startRunner();
      await held.reached;
      await test.host.killAgent(`${sessionId}#0`);
      held.open();
      await test.expectAnswered(sessionId, ["one", "two"], watcher);
      const warnings = (await test.events(sessionId)).flatMap(({ type, data }) =>
        type === "SandboxWarned" ? [data.warning.code] : [],
      );
      expect(warnings).toEqual(["agent_restarted"]);
      watcher.close();
    },
    300_000,
  );
});

it("a session that rested when every runner died is found again by its next prompt", async () => {
  const first = await test.startRunner();
  const sessionId = await test.create("one");
  const watcher = test.watch(sessionId);
  await test.expectAnswered(sessionId, ["one"], watcher);
  await first.end("SIGKILL");
  await test.ask(sessionId, "two");
  await test.startRunner();
  await test.expectAnswered(sessionId, ["one", "two"], watcher);
  watcher.close();
}, 300_000);

describe("a provider that does not answer", () => {
  it("is asked again, people see why they wait, and the prompt is answered in the end", async () => {
    const held = test.host.hold("ensure");
    const sessionId = await test.create("one");
    const watcher = test.watch(sessionId);
    await test.startRunner({ START_MS: "1000" });
    const params = { sessionId };
    await vi.waitFor(async () => {
      const session = await test.stack.client.call(getSession, { params, query: {} });
      expect(session.failure?.code).toBe("sandbox_start_timed_out");
    }, patience);
    held.open();
    await test.expectAnswered(sessionId, ["one"], watcher);
    const { failure } = await test.stack.client.call(getSession, { params, query: {} });
    expect(failure).toBeNull();
    watcher.close();
  }, 300_000);
});
