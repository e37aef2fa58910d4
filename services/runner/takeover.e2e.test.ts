import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import { openLeases } from "#event-store/leases/leases";
import { startScriptedModel } from "#sandbox/scripted-model/index";
import { expectIntact } from "../testing/faults/expect-intact.ts";
import { followTranscript, type TranscriptFollower } from "../testing/faults/follow-transcript.ts";
import { startTestStack, type TestStack } from "../testing/test-stack.ts";
import { type RunnerProcess, startRunnerProcess } from "./testing/runner-process.ts";

const patience = { timeout: 150_000, interval: 200 };

let stack: TestStack;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
beforeAll(async () => {
  model = await startScriptedModel();
  stack = await startTestStack({ ROLES: "projector,worker,fanout,gateway" });
});
afterAll(async () => {
  await stack.close();
  await model.close();
});

/** Opens a session with a long answer, and resolves once the answer is being streamed. */
const startLongAnswer = async (): Promise<{
  readonly sessionId: SessionId;
  readonly follower: TranscriptFollower;
}> => {
  const { sessionId } = await stack.client.call(createSession, {
    headers: {},
    body: { title: "Takeover", prompt: "Give me a slow answer." },
  });
  const follower = await followTranscript(stack.client, sessionId);
  await vi.waitUntil(() => follower.tokens() > 5, patience);
  return { sessionId, follower };
};

const ownerOf = async (
  sessionId: SessionId,
  runners: readonly RunnerProcess[],
): Promise<RunnerProcess> => {
  const leases = await openLeases(stack.program.platform.store, "owner");
  const instance = (await leases.holder(sessionId))?.instance ?? "";
  const owner = runners.find(({ pid }) => instance.includes(`-${pid}-`));
  if (!owner) {
    throw new Error(`None of the runners is ${instance}.`);
  }
  return owner;
};

describe("a runner that is killed in the middle of an answer", () => {
  it.each([
    [
      "the agent's server lives on",
      () => ({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url }),
    ],
    // The scripted model ends with the runner, and the agent has to be started anew.
    ["the model is gone with it", () => ({})],
  ])(
    "is replaced, and the prompt is answered once: %s",
    async (_, settings) => {
      const environment = {
        ...stack.environment,
        SANDBOX_GATEWAY_URL: stack.url,
        ...settings(),
      };
      const runners = await Promise.all([
        startRunnerProcess(environment),
        startRunnerProcess(environment),
      ]);
      try {
        const { sessionId, follower } = await startLongAnswer();
        const owner = await ownerOf(sessionId, runners);
        await owner.end("SIGKILL");
        const { history } = await expectIntact({
          client: stack.client,
          store: stack.program.platform.store,
          organization: stack.organization,
          session: sessionId,
          prompts: 1,
          followers: [follower],
          patienceMs: patience.timeout,
        });
        follower.close();
        expect(history.epochs).toHaveLength(2);
      } finally {
        await Promise.all(runners.map((runner) => runner.end("SIGTERM")));
      }
    },
    300_000,
  );
});
