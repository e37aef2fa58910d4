/** Owners that die between recording something and telling it to those who watch. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { deleteSession, listMessages, pauseSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { patience, type RunnerStack, startRunnerStack } from "../../runner/testing/runner-stack.ts";
import { requestSnapshot } from "../../sessions/commands.ts";
import { faultedSession } from "./faulted-session.ts";
import { followTranscript } from "./follow-transcript.ts";

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack();
}, 120_000);
afterEach(() => test.endRunners(), 60_000);
afterAll(() => test.close(), 60_000);

const { historyOf, intact, midAnswer, recordAsOwner, saidIn } = faultedSession(() => test);

describe("an owner that is killed after it has recorded a message, and before it has told so", () => {
  it("is replaced by one that tells it to those who have watched all along", async () => {
    const first = await test.startRunner();
    const { session, follower, goOn } = await midAnswer();
    await first.end("SIGKILL");
    await recordAsOwner(session, follower.streaming()[0]?.id ?? "none");
    goOn();
    await test.startRunner();
    await intact(session, [follower]);
    follower.close();
  }, 300_000);

  it("is replaced by one that tells it, also where the session is deleted meanwhile", async () => {
    const first = await test.startRunner();
    const { session, follower, goOn } = await midAnswer();
    await first.end("SIGKILL");
    await recordAsOwner(session, follower.streaming()[0]?.id ?? "none");
    goOn();
    const params = { sessionId: session };
    await test.stack.client.call(deleteSession, { params });
    await test.startRunner();
    await vi.waitFor(async () => {
      const { messages } = await test.stack.client.call(listMessages, { params, query: {} });
      expect(messages).toHaveLength(2);
      expect(follower.messages().map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    }, patience);
    follower.close();
  }, 300_000);
});

describe("the end of a prompt", () => {
  it.each([
    ["has nothing else to do", ["one"]],
    ["answers the next prompt", ["one", "two"]],
  ])(
    "is told by whoever comes next and %s, where its owner dies before telling what it has recorded",
    async (_, [first, ...others]) => {
      const session = await test.create(first);
      for (const other of others) await test.ask(session, other);
      const follower = await followTranscript(test.stack.client, session);
      const promptId = (await historyOf(session)).prompts[0];
      const owner = await test.startMortal({ type: "prompt_finished", promptId });
      await owner.ended;
      expect(follower.ended()).toEqual([]);
      await test.startRunner();
      const { history } = await intact(session, [follower], 1 + others.length);
      await vi.waitFor(() => expect(follower.ended()).toEqual(history.prompts), patience);
      follower.close();
    },
    300_000,
  );

  it("is told again once nothing is left to be done, and not to those who have heard it", async () => {
    const session = await test.create("one");
    const follower = await followTranscript(test.stack.client, session);
    await test.startRunner();
    await vi.waitUntil(
      async () => (await saidIn(session, "prompt_finished")).length === 2,
      patience,
    );
    await test.ask(session, "two");
    await vi.waitUntil(() => follower.ended().length > 1, patience);
    const { history } = await intact(session, [follower], 2);
    expect(follower.ended()).toEqual(history.prompts);
    follower.close();
  }, 300_000);
});

describe("the result of a snapshot", () => {
  it("is told by whoever comes next, where its owner dies before telling what it has recorded", async () => {
    const session = await test.create();
    const owner = await test.startMortal({ type: "snapshot_result" });
    const { program, organization } = test.stack;
    const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
    const request = { requestId: "save", message: null };
    await requestSnapshot(program.platform, { organization, session }, request, meta);
    await owner.ended;
    expect(await saidIn(session, "snapshot_result")).toEqual([]);
    await test.startRunner();
    await vi.waitFor(async () => {
      const [told] = await saidIn(session, "snapshot_result");
      const snapshotId = expect.stringMatching(/^snapshot-/) as unknown;
      expect(told?.message).toMatchObject({ requestId: "save", snapshotId, failure: null });
    }, patience);
  }, 300_000);
});

describe("the status of a session", () => {
  const pause = (sessionId: SessionId): Promise<unknown> =>
    test.stack.client.call(pauseSession, { params: { sessionId } });
  const remove = (sessionId: SessionId): Promise<unknown> =>
    test.stack.client.call(deleteSession, { params: { sessionId } });
  const nothing = (): Promise<void> => Promise.resolve();
  const running = async (sessionId: SessionId): Promise<void> => {
    await vi.waitUntil(async () => (await test.status(sessionId)) === "running", patience);
  };

  it.each([
    { status: "running", until: nothing, asked: nothing },
    { status: "failed", until: nothing, asked: nothing },
    { status: "paused", until: running, asked: pause },
    { status: "stopped", until: running, asked: remove },
  ])(
    "is told by whoever comes next where its owner dies before it has told that it is $status",
    async ({ status, until, asked }) => {
      if (status === "failed") test.host.refuse("ensure", 3);
      const session = await test.create();
      const watcher = test.watch(session);
      await watcher.opened;
      const owner = await test.startMortal({ type: "status", status }, { PAUSES: "true" });
      await until(session);
      await asked(session);
      await owner.ended;
      expect(watcher.statuses).not.toContain(status);
      await test.startRunner({ PAUSES: "true" });
      await vi.waitUntil(() => watcher.statuses.at(-1) === status, patience);
      const said = (await saidIn(session, "status")).map(({ message }) => message).at(-1);
      const detail = status === "failed" ? "Error: The provider is away." : null;
      expect(said).toEqual({ type: "status", status, detail });
      watcher.close();
    },
    300_000,
  );

  it("changes on, where an owner dies that has begun to start the agent of a resting session anew", async () => {
    const session = await test.create("one");
    const watcher = test.watch(session);
    const first = await test.startRunner();
    // Then nobody is called for any more.
    await vi.waitUntil(
      async () => (await saidIn(session, "prompt_finished")).length === 2,
      patience,
    );
    const held = test.host.hold("ensure");
    await test.host.killAgent(`${session}#0`);
    await held.reached;
    await vi.waitUntil(() => watcher.statuses.at(-1) === "starting", patience);
    await first.end("SIGKILL");
    held.open();
    await test.startRunner();
    await vi.waitUntil(() => watcher.statuses.at(-1) === "running", patience);
    watcher.close();
  }, 300_000);
});
