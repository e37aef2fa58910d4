/** Traces as a collector sees them, across the processes that a request goes through. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { invokeAction } from "#contracts/http/actions";
import { promptSession } from "#contracts/http/sessions";
import {
  createTrigger,
  ingestWebhook,
  webhookDeliveryHeader,
  webhookSignatureHeader,
} from "#contracts/http/triggers";
import type { SessionId } from "#contracts/ids";
import { scheduleTimer } from "#event-store/timers/timers";
import { deriveSandboxToken } from "#sandbox/token";
import { createClient } from "../client/client.ts";
import { type RunnerStack, startRunnerStack } from "../runner/testing/runner-stack.ts";
import { idleLookTimer } from "../sessions/idle/idle-watch.ts";
import { signWebhook } from "../triggers/signature.ts";
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from "./testing/otlp-receiver.ts";

const patience = { timeout: 30_000, interval: 50 };

/** What nobody may find in a trace. */
const secret = "the-words-that-nobody-may-see";

let receiver: OtlpReceiver;
let test: RunnerStack;
let session: SessionId;
/** Of a person. */
let accessToken: string;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20for-the-collector",
    TRUST_TRACEPARENT: "true",
  };
  test = await startRunnerStack(traced);
  await test.startRunner(traced);
  session = await test.create();
  accessToken = await signIn();
}, 120_000);
afterAll(async () => {
  await test.endRunners();
  await test.close();
  await receiver.close();
}, 60_000);

const all = (traceId: string, name: string): readonly ReceivedSpan[] =>
  receiver.spans.filter((span) => span.traceId === traceId && span.name === name);

/** Waits for a span of this name in the trace. */
const one = (
  traceId: string,
  name: string,
  isIt: (span: ReceivedSpan) => boolean = () => true,
): Promise<ReceivedSpan> =>
  vi.waitFor(() => {
    const found = all(traceId, name).find(isIt);
    if (!found) {
      const names = receiver.spans.filter((span) => span.traceId === traceId);
      throw new Error(`No "${name}" among ${names.map((span) => span.name).join(", ")}.`);
    }
    return found;
  }, patience);

/** Waits for a span of another trace that says that this one, or this very span, has led to it. */
const linkedTo = (traceId: string, name: string, spanId?: string): Promise<ReceivedSpan> =>
  vi.waitFor(() => {
    const isIt = (link: ReceivedSpan["links"][number]) =>
      link.traceId === traceId && (spanId === undefined || link.spanId === spanId);
    const found = receiver.spans.find((span) => span.name === name && span.links.some(isIt));
    if (!found) throw new Error(`No "${name}" is linked to the trace.`);
    return found;
  }, patience);

const newTraceId = (): string => crypto.randomUUID().replaceAll("-", "");

const signIn = async (): Promise<string> => {
  const { identity } = test.stack.program.gateway ?? {};
  if (!identity) throw new Error("The stack runs the gateway.");
  return (await identity.signIn(test.stack.signInToken)).accessToken;
};

/** A client whose requests name a trace that somebody else has begun. */
const clientIn = (traceId: string, token: string) =>
  createClient({
    baseUrl: test.stack.url,
    accessToken: token,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("traceparent", `00-${traceId}-00f067aa0ba902b7-01`);
      return fetch(url, { ...init, headers });
    },
  });

describe("a trace", () => {
  it("leads from a request over its commit to the runner in another process, its turn, and the projector", async () => {
    const traceId = newTraceId();
    const client = clientIn(traceId, accessToken);
    const { position, promptId } = await client.call(promptSession, {
      params: { sessionId: session },
      body: { text: secret },
    });

    const request = await one(traceId, "POST /v1/sessions/:sessionId/prompts");
    expect(request.parentSpanId).toBe("00f067aa0ba902b7");
    expect(request.attributes).toMatchObject({
      "http.request.method": "POST",
      "http.response.status_code": 202,
      "proliferate.organization": test.stack.organization,
      "proliferate.session": session,
    });
    const published = await one(
      traceId,
      "publish EVENTS_0",
      ({ attributes }) => attributes["proliferate.position"] === position,
    );
    expect(published.parentSpanId).toBe(request.spanId);
    expect(published.attributes).toMatchObject({
      "proliferate.session": session,
      "messaging.system": "nats",
    });
    const handled = await one(traceId, "process session-activator");
    expect(handled.parentSpanId).toBe(published.spanId);
    expect(handled.attributes).toMatchObject({ "proliferate.position": position });
    expect(handled.resource["service.name"]).toBe("proliferate");
    expect(handled.resource["service.instance.id"]).not.toBe(
      request.resource["service.instance.id"],
    );

    const projected = await linkedTo(traceId, "process EVENTS_0", published.spanId);
    expect(projected.attributes).toMatchObject({ "messaging.consumer.group.name": "projector" });
    expect(projected.traceId).not.toBe(traceId);

    const turn = await linkedTo(traceId, "answer prompt");
    expect(turn.resource).toEqual(handled.resource);
    expect(turn.attributes).toMatchObject({
      "proliferate.session": session,
      "proliferate.prompt": promptId,
      "proliferate.outcome": "completed",
    });
    expect((await one(turn.traceId, "publish EVENTS_0")).parentSpanId).toBe(turn.spanId);
  });

  it("goes on through an action, whose outcome is a commit of the same trace", async () => {
    const traceId = newTraceId();
    const { keys } = test.stack.program.platform;
    const token = deriveSandboxToken({
      secret: keys.sandboxTokens,
      sessionId: session,
      organizationId: test.stack.organization,
    });
    await clientIn(traceId, token).call(invokeAction, {
      params: { sessionId: session },
      body: { integration: "demo", action: "list_releases", params: {} },
    });
    const action = await one(traceId, "execute action");
    const executor = await one(
      traceId,
      "process action-executor",
      ({ spanId }) => spanId === action.parentSpanId,
    );
    expect(action.attributes).toMatchObject({
      "proliferate.integration": "demo",
      "proliferate.action": "list_releases",
      "proliferate.session": session,
    });
    await vi.waitFor(() => {
      const outcomes = all(traceId, "publish EVENTS_0").filter(
        ({ parentSpanId }) => parentSpanId === executor.spanId,
      );
      expect(outcomes.length).toBeGreaterThanOrEqual(2);
    }, patience);
  });

  it("begins with a webhook's request, and goes on through the inbox and the run to its session", async () => {
    const traceId = newTraceId();
    const { triggerId, signingSecret, path } = await clientIn(newTraceId(), accessToken).call(
      createTrigger,
      { body: { name: "Failed", prompt: "Repair it." } },
    );
    const body = Buffer.from(JSON.stringify({ status: secret }));
    const deliveryId = "one";
    const deliver = () =>
      fetch(new URL(path, test.stack.url), {
        method: "POST",
        headers: {
          traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
          [webhookDeliveryHeader]: deliveryId,
          [webhookSignatureHeader]: signWebhook(signingSecret, { deliveryId, body }, new Date()),
        },
        body,
      });
    // The read model, which knows whose trigger it is, comes after the log.
    await vi.waitFor(async () => expect((await deliver()).status).toBe(202), patience);

    const inbox = await one(traceId, "process inbox");
    const request = await one(
      traceId,
      `POST ${ingestWebhook.path}`,
      ({ spanId }) => spanId === inbox.parentSpanId,
    );
    expect(request.attributes).toMatchObject({ "http.response.status_code": 202 });
    expect(inbox.attributes).toMatchObject({
      "proliferate.organization": test.stack.organization,
      "proliferate.trigger": triggerId,
    });
    const run = await one(
      traceId,
      "publish EVENTS_0",
      ({ parentSpanId }) => parentSpanId === inbox.spanId,
    );
    expect((await one(traceId, "process run-opener")).parentSpanId).toBe(run.spanId);
    await one(traceId, "process session-activator");
  });

  it("begins with a timer that fires, and leads over its commit to the runner in another process", async () => {
    const { organization, program } = test.stack;
    const rested = await test.create();
    await vi.waitUntil(async () => (await test.status(rested)) === "running", patience);
    // As if it had been at rest for long; beside the session's own timer, which would take its place.
    const key = `test.${rested}`;
    await scheduleTimer(program.platform.store, {
      ...{ key, kind: idleLookTimer, at: new Date() },
      data: { organization, session: rested, after: null, quietLooks: 1_000 },
    });
    const timer = await vi.waitFor(() => {
      const found = receiver.spans.find(
        ({ attributes }) => attributes["proliferate.timer"] === key,
      );
      if (!found) throw new Error("No timer has fired.");
      return found;
    }, patience);
    expect(timer.name).toBe(`timer ${idleLookTimer}`);
    expect(timer.parentSpanId ?? "").toBe("");
    const published = await one(timer.traceId, "publish EVENTS_0");
    expect(published.parentSpanId).toBe(timer.spanId);
    expect(published.attributes).toMatchObject({ "proliferate.session": rested });
    const handled = await one(timer.traceId, "process session-activator");
    expect(handled.parentSpanId).toBe(published.spanId);
    expect(handled.resource["service.instance.id"]).not.toBe(timer.resource["service.instance.id"]);
  });

  it("names a failure by its code, and nothing that people wrote", async () => {
    const traceId = newTraceId();
    const client = clientIn(traceId, accessToken);
    const refused = client.call(promptSession, {
      params: { sessionId: session },
      body: { text: secret.repeat(5_000) },
    });
    await expect(refused).rejects.toMatchObject({ code: "prompt_too_large" });
    const request = await one(traceId, "POST /v1/sessions/:sessionId/prompts");
    expect(request.attributes["error.type"]).toBe("prompt_too_large");
    expect(receiver.bodies.join("\n")).not.toContain(secret);
    expect(new Set(receiver.authorizations)).toEqual(new Set(["Bearer for-the-collector"]));
  });
});
