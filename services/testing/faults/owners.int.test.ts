import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { patience, type RunnerStack, startRunnerStack } from "../../runner/testing/runner-stack.ts";
import { faultedSession } from "./faulted-session.ts";

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack();
}, 120_000);
afterEach(() => test.endRunners(), 60_000);
afterAll(() => test.close(), 60_000);

const { intact, midAnswer, saidIn } = faultedSession(() => test);

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
