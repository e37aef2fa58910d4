import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { SessionId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { patience, type RunnerStack, startRunnerStack } from "../../runner/testing/runner-stack.ts";
import { expectIntact, type Intact } from "./expect-intact.ts";
import { transcriptAggregate } from "../../sessions/transcript/transcript-decider.ts";
import { followTranscript, type TranscriptFollower } from "./follow-transcript.ts";
import { readLive } from "./read-live.ts";
import { readHistory, type SessionHistory } from "./session-history.ts";

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack();
}, 120_000);
afterEach(() => test.endRunners(), 60_000);
afterAll(() => test.close(), 60_000);

const intact = (
  session: SessionId,
  followers: readonly TranscriptFollower[] = [],
  prompts = 1,
): Promise<Intact> =>
  expectIntact({
    client: test.stack.client,
    store: test.stack.program.platform.store,
    organization: test.stack.organization,
    session,
    prompts,
    followers,
    patienceMs: patience.timeout,
  });

/** A session in the middle of its answer, which goes on when it is told to. */
const midAnswer = async () => {
  const answers = test.host.holdAnswers("word");
  const session = await test.create("one");
  const follower = await followTranscript(test.stack.client, session);
  await answers.reached;
  await vi.waitFor(() => expect(follower.streaming()).toHaveLength(1), patience);
  return { session, follower, goOn: () => answers.open() };
};

const historyOf = (session: SessionId): Promise<SessionHistory> => {
  const { program, organization } = test.stack;
  return readHistory(program.platform.store, { organization, session });
};

/** Records the answer to the session's prompt in the name of its owner. */
const recordAsOwner = async (session: SessionId, id: string): Promise<void> => {
  const { store } = test.stack.program.platform;
  const key = { organization: test.stack.organization, id: session };
  const history = await historyOf(session);
  const epoch = history.epochs.at(-1) ?? 0;
  const promptId = history.prompts[0] ?? null;
  const parts = [{ kind: "text" as const, id: "text", text: "This is all." }];
  const rest = { finish: "stop", failure: null, usage: null, cost: null };
  const message = { id, role: "assistant" as const, promptId, parts, ...rest };
  const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
  const command = { type: "RecordMessage", epoch, message, author: null } as const;
  await execute(store, transcriptAggregate, key, command, meta);
};

/** What was said live of one type, also what nobody was told. */
const saidIn = async (session: SessionId, type: LiveMessage["type"]) => {
  const { program, organization } = test.stack;
  const said = await readLive(program.platform.store, { organization, session });
  return said.filter(({ message }) => message.type === type);
};

describe("an owner that is held still for longer than its lease", () => {
  it("is replaced, and writes nothing when it wakes up", async () => {
    const first = await test.startRunner();
    const { session, follower, goOn } = await midAnswer();
    process.kill(first.pid, "SIGSTOP");
    try {
      await test.startRunner();
      goOn();
      await intact(session, [follower]);
    } finally {
      process.kill(first.pid, "SIGCONT");
    }
    // It is awake when it answers to its end; what it had to say by then is in the log, or never will be.
    await first.end("SIGTERM");
    const { history } = await intact(session, [follower]);
    expect(history.epochs.length).toBeGreaterThan(1);
    follower.close();
  }, 180_000);
});

describe("an owner whose machine is suspended, so that its clock does not tell that its lease ran out", () => {
  it("adds nothing to the transcript, nor to what people see, once another has the session", async () => {
    const first = await test.startRunner({
      NODE_OPTIONS: `--import=${new URL("suspended.mjs", import.meta.url).href}`,
    });
    const { session, follower, goOn } = await midAnswer();
    // The next owner has the session by the time at which it asks for the sandbox, and has recorded nothing.
    const next = test.host.hold("ensure");
    process.kill(first.pid, "SIGUSR2");
    try {
      await test.startRunner();
      await next.reached;
      // It has told those who watch that the answer begins anew.
      await vi.waitFor(() => expect(follower.streaming()).toEqual([]), patience);
      goOn();
    } finally {
      process.kill(first.pid, "SIGCONT");
    }
    // It goes on with the answer, and lets the agent go when it is told that it is not the owner.
    await vi.waitUntil(() => test.host.followers(`${session}#0`) === 0, patience);
    next.open();
    const { history } = await intact(session, [follower]);
    expect(history.epochs).toHaveLength(2);
    const tokens = await saidIn(session, "token");
    expect(new Set(tokens.map(({ ownerEpoch }) => ownerEpoch))).toEqual(
      new Set([history.epochs[0]]),
    );
    expect(follower.tokens()).toBe(0);
    follower.close();
  }, 300_000);
});

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
      const owner = await test.startRunner({
        NODE_OPTIONS: `--import=${new URL("dies-sending.mjs", import.meta.url).href}`,
        DIES_SENDING: JSON.stringify({ type: "prompt_finished", promptId }).slice(0, -1),
      });
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

describe("a runner whose clock is set", () => {
  it.each([
    ["an hour ahead", 3_600_000],
    ["an hour back", -3_600_000],
  ])(
    "%s goes on owning what it owns",
    async (_, ms) => {
      // Long enough that no busy machine lets it run out.
      const LEASE_TTL_MS = "120000";
      const runner = await test.startRunner({
        LEASE_TTL_MS,
        NODE_OPTIONS: `--import=${new URL("clock-jump.mjs", import.meta.url).href}`,
        CLOCK_JUMP_MS: String(ms),
      });
      const { session, follower, goOn } = await midAnswer();
      process.kill(runner.pid, "SIGUSR2");
      await test.startRunner({ LEASE_TTL_MS });
      goOn();
      const { history } = await intact(session, [follower]);
      expect(history.epochs).toHaveLength(1);
      follower.close();
    },
    180_000,
  );
});
