/** The agent's own tools under the organisation's policy, with a real agent and runners that die. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { approveInvocation, denyInvocation, listInvocations } from "#contracts/http/actions";
import { createRule } from "#contracts/http/policy";
import { createSession, listMessages } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import type { InvocationView } from "#contracts/invocation/view";
import { openLeases } from "#event-store/leases/leases";
import { actionsGuidePath } from "#sandbox/instructions/available-actions";
import { layoutOf } from "#sandbox/providers/local/layout";
import { startScriptedModel } from "#sandbox/scripted-model/index";
import { startTestStack, type TestStack } from "../../testing/test-stack.ts";
import { type RunnerProcess, startRunnerProcess } from "../testing/runner-process.ts";

const patience = { timeout: 150_000, interval: 200 };

let stack: TestStack;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let runners: readonly RunnerProcess[] = [];
beforeAll(async () => {
  model = await startScriptedModel();
  stack = await startTestStack({ ROLES: "projector,worker,fanout,gateway" });
  const environment = {
    ...stack.environment,
    SANDBOX_GATEWAY_URL: stack.url,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: model.url,
  };
  runners = await Promise.all([startRunnerProcess(environment), startRunnerProcess(environment)]);
}, 120_000);
afterAll(async () => {
  await Promise.all(runners.map((runner) => runner.end("SIGTERM")));
  await stack.close();
  await model.close();
}, 120_000);

const invocationsOf = async (sessionId: SessionId): Promise<readonly InvocationView[]> =>
  (await stack.client.call(listInvocations, { params: { sessionId }, query: {} })).invocations;

/** Waits until the agent asks for both of its commands; answers them by what they say. */
const bothAsked = (sessionId: SessionId) =>
  vi.waitUntil(async () => {
    const asked = await invocationsOf(sessionId);
    const said = (command: string) => asked.find(({ params }) => params["command"] === command);
    const [first, second] = [said("echo first"), said("echo second")];
    return first && second && { first, second };
  }, patience);

/** The outputs and errors of the agent's tools once it has answered. */
const toolsOf = (sessionId: SessionId) =>
  vi.waitUntil(async () => {
    const query = { params: { sessionId }, query: {} };
    const { messages } = await stack.client.call(listMessages, query);
    const tools = messages.flatMap(({ parts }) => parts).filter((part) => part.kind === "tool");
    return messages.at(-1)?.finish === "stop" && tools;
  }, patience);

const killOwnerOf = async (sessionId: SessionId): Promise<void> => {
  const leases = await openLeases(stack.program.platform.store, "owner");
  const instance = (await leases.holder(sessionId))?.instance ?? "";
  const owner = runners.find(({ pid }) => instance.includes(`-${pid}-`));
  if (!owner) throw new Error(`None of the runners is ${instance}.`);
  await owner.end("SIGKILL");
};

it("a tool waits for a person, through its runner's death, and what is decided reaches the agent", async () => {
  await stack.client.call(createRule, {
    body: { integration: "agent", action: "bash", mode: "require_approval" },
  });
  const { sessionId } = await stack.client.call(createSession, {
    headers: {},
    body: { title: "Guarded", prompt: "Run two things in parallel" },
  });
  const { first, second } = await bothAsked(sessionId);
  expect([first, second]).toMatchObject([
    { integration: "agent", action: "bash", status: "pending", modeSource: "rule" },
    { integration: "agent", action: "bash", status: "pending" },
  ]);

  // The guide in its workspace tells what is connected: to these runners, nothing.
  const guide = join(layoutOf(stack.dataDir, sessionId).workspace, actionsGuidePath);
  await vi.waitFor(
    async () => expect(await readFile(guide, "utf8")).toContain("Nothing is connected."),
    patience,
  );

  await killOwnerOf(sessionId);
  const refused = { sessionId, invocationId: second.id };
  await stack.client.call(denyInvocation, {
    params: refused,
    body: { reason: "Not the second one." },
  });
  await stack.client.call(approveInvocation, {
    params: { sessionId, invocationId: first.id },
    body: { scope: "once" },
  });

  expect(await toolsOf(sessionId)).toMatchObject([
    { tool: "bash", status: "completed", output: expect.stringContaining("first") as string },
    {
      tool: "bash",
      status: "error",
      error: expect.stringContaining("Not the second one.") as string,
    },
  ]);
  await vi.waitFor(async () => {
    const statuses = (await invocationsOf(sessionId)).map(({ id, status }) => [id, status]);
    expect(new Map(statuses as [string, string][])).toEqual(
      new Map([
        [first.id, "completed"],
        [second.id, "denied"],
      ]),
    );
  }, patience);
}, 400_000);
