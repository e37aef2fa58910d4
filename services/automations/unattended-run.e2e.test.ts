/** A run that nobody watches, from the webhook until it has gone on after a decision, with a real agent and Slack as a local server. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { approveInvocation, getInvocation, listInvocations } from "#contracts/http/actions";
import { connectIntegration } from "#contracts/http/integrations";
import { listMessages } from "#contracts/http/sessions";
import {
  createTrigger,
  listRuns,
  webhookDeliveryHeader,
  webhookSignatureHeader,
} from "#contracts/http/triggers";
import { type ScenarioInput, startScriptedModel } from "#sandbox/scripted-model/index";
import { json, type LocalServer, startLocalServer } from "../integrations/testing/local-server.ts";
import { startTestStack, type TestStack } from "../testing/test-stack.ts";
import { signWebhook } from "../triggers/signature.ts";

const patience = { timeout: 150_000, interval: 200 };

const run = `proliferate actions run --integration demo --action publish_release --params '{"version":"7.0.0"}' --no-wait`;
const scenarios: readonly ScenarioInput[] = [
  {
    name: "go-on",
    select: { by: "contains", anyOf: ["has been settled"] },
    steps: [{ kind: "answer", text: "It is done." }],
  },
  {
    name: "ask",
    select: { by: "contains", anyOf: ["Publish what was tagged"] },
    steps: [
      { kind: "answer", toolCalls: [{ name: "bash", input: { command: run } }] },
      { kind: "answer", text: "Somebody has to approve it; I stop here." },
    ],
  },
];

let stack: TestStack;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let slack: LocalServer;
beforeAll(async () => {
  model = await startScriptedModel({ scenarios });
  slack = await startLocalServer();
  slack.answer((_, response) => json(response, { ok: true }));
  stack = await startTestStack({
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: model.url,
    SLACK_SIGNING_SECRET: "a-signing-secret-of-tests",
    SLACK_APPROVALS_CHANNEL: "C0APPROVALS",
    OUTBOUND_ALLOWED_NETWORKS: "127.0.0.1/32",
  });
  await stack.client.call(connectIntegration, {
    params: { vendor: "slack" },
    body: { token: "xoxb-test", baseUrl: slack.url },
  });
}, 120_000);
afterAll(async () => {
  await stack.close();
  await slack.close();
  await model.close();
}, 120_000);

/** Sends a signed webhook as soon as the trigger is known; the same delivery counts once. */
const deliver = async (): Promise<void> => {
  const { path, signingSecret } = await stack.client.call(createTrigger, {
    body: {
      name: "Release",
      filter: { action: "tagged" },
      prompt: "Publish what was tagged.",
      repository: null,
    },
  });
  const body = Buffer.from(JSON.stringify({ action: "tagged" }));
  await vi.waitFor(async () => {
    const { status } = await fetch(`${stack.url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        [webhookSignatureHeader]: signWebhook(
          signingSecret,
          { deliveryId: "one", body },
          new Date(),
        ),
        [webhookDeliveryHeader]: "one",
      },
      body,
    });
    expect(status).toBe(202);
  }, patience);
};

const runIn = (status: string) =>
  vi.waitUntil(async () => {
    const [only] = (await stack.client.call(listRuns, { query: {} })).runs;
    return only?.status === status && only;
  }, patience);

it("pauses for a person, says so in Slack, and goes on once it is decided", async () => {
  await deliver();
  const { sessionId } = await runIn("needs_human");
  if (sessionId === null) throw new Error("The run has no session.");
  const invocation = await vi.waitUntil(async () => {
    const asked = { params: { sessionId }, query: {} };
    return (await stack.client.call(listInvocations, asked)).invocations[0];
  }, patience);
  expect(invocation).toMatchObject({ status: "pending", mode: "require_approval" });
  await vi.waitFor(() => {
    const posted = slack.asked.filter(({ path }) => path === "/chat.postMessage");
    expect(posted.map(({ body }) => body)).toContainEqual(expect.stringContaining(invocation.id));
  }, patience);

  const params = { sessionId, invocationId: invocation.id };
  await stack.client.call(approveInvocation, { params, body: { scope: "once" } });
  await runIn("running");
  await vi.waitFor(async () => {
    expect(await stack.client.call(getInvocation, { params, query: {} })).toMatchObject({
      status: "completed",
      result: { version: "7.0.0" },
    });
  }, patience);
  const messages = await vi.waitUntil(async () => {
    const page = await stack.client.call(listMessages, { params: { sessionId }, query: {} });
    return JSON.stringify(page.messages.at(-1)).includes("It is done.") && page.messages;
  }, patience);
  const told = messages.filter(({ role }) => role === "user");
  expect(told).toHaveLength(2);
  expect(JSON.stringify(told[1])).toContain("somebody approved it and it ran");
}, 400_000);
