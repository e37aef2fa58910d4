import pLimit from "p-limit";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SessionId } from "#contracts/ids";
import { openLeases } from "#event-store/leases/leases";
import type { RunnerProcess } from "../../runner/testing/runner-process.ts";
import { patience, type RunnerStack, startRunnerStack } from "../../runner/testing/runner-stack.ts";
import { expectIntact } from "./expect-intact.ts";
import { followTranscript } from "./follow-transcript.ts";
import { readHistory } from "./session-history.ts";

/** So many on request only, as other tests that need most of two cores: late renewals would be no fault. */
const sessions = process.env["CRASH_TESTS"] ? 200 : 40;
/** Of so many, one is watched: this process is also the gateway, the fan-out and all agents. */
const perFollower = 10;

/** Long enough for a runner on a busy machine to renew all its leases, and to bring all sandboxes up. */
const leaseTtlMs = 12_000;
const settings = { CAPACITY: "1000", LEASE_TTL_MS: String(leaseTtlMs), START_MS: "600000" };

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack();
}, 120_000);
afterAll(() => test.close(), 60_000);

/** The runner that has one of these sessions, in the middle of its answer. */
const busyRunner = async (
  created: readonly SessionId[],
  runners: readonly RunnerProcess[],
): Promise<RunnerProcess> => {
  const { organization, program } = test.stack;
  const { store } = program.platform;
  const leases = await openLeases(store, "owner", { ttlMs: leaseTtlMs });
  for (const session of created) {
    const { finished } = await readHistory(store, { organization, session });
    const holder = finished.length === 0 ? await leases.holder(session) : null;
    const runner = runners.find(({ pid }) => holder?.instance.includes(`-${pid}-`));
    if (runner) return runner;
  }
  throw new Error("No runner has a session whose answer is not whole.");
};

it(`of two runners that race for ${sessions} sessions one is killed: each has one owner at a time, and its answer`, async () => {
  const { client, organization, program } = test.stack;
  // By then some answers are whole, some have begun, and some agents are not even there.
  const answers = test.host.holdAnswers("word", 3 * sessions);
  const limit = pLimit(perFollower);
  const created = await limit.map(Array.from({ length: sessions }), async (_, index) => ({
    session: await test.create(`question ${index}`),
    isWatched: index % perFollower === 0,
  }));
  const asked = await limit.map(created, async ({ session, isWatched }) => ({
    session,
    followers: isWatched ? [await followTranscript(client, session)] : [],
  }));
  const runners = await Promise.all([test.startRunner(settings), test.startRunner(settings)]);
  await answers.reached;
  const first = await busyRunner(
    asked.map(({ session }) => session),
    runners,
  );
  await first.end("SIGKILL");
  answers.open();
  const epochs: (readonly number[])[] = [];
  for (const { session, followers } of asked) {
    const { history } = await expectIntact({
      client,
      store: program.platform.store,
      organization,
      session,
      prompts: 1,
      followers,
      patienceMs: patience.timeout,
    });
    epochs.push(history.epochs);
    for (const follower of followers) follower.close();
  }
  // An epoch is one owner's of one session, and the one that was killed had some.
  expect(new Set(epochs.flat()).size).toBe(epochs.flat().length);
  expect(epochs.some(({ length }) => length > 1)).toBe(true);
}, 600_000);
