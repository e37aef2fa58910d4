/** Somebody has a session's services tried: in a real sandbox, by its own sidecar, beside its real agent. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import WebSocket from "ws";
import { createConfiguration } from "#contracts/http/configurations";
import { runServices } from "#contracts/http/services";
import { createSession, deleteSession, openLiveChannel } from "#contracts/http/sessions";
import type { LiveMessage, ServerFrame } from "#contracts/live/messages";
import { domainEventsOf } from "#event-store/aggregates/domain-events";
import { readAggregate } from "#event-store/reading/read-aggregate";
import { watchSession } from "../../client/watch-session.ts";
import { startTestStack, type TestStack } from "../../testing/test-stack.ts";

const patience = { timeout: 150_000, interval: 100 };

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
}, 120_000);
afterAll(() => stack.close(), 120_000);

it("services are started afresh while people watch, and what they did is in the log", async () => {
  const { client } = stack;
  const serviceCommands = [
    { name: "web", command: "echo serving with ghp_0123456789abcdef; exec sleep 1000" },
    { name: "a b", command: "true" },
  ];
  const { configurationId } = await client.call(createConfiguration, {
    body: { name: "Shop", serviceCommands },
  });
  const { sessionId } = await client.call(createSession, {
    body: { title: "Try", configurationId },
  });
  const params = { sessionId };
  const frames: ServerFrame[] = [];
  const watch = watchSession({
    openSocket: async () => (await client.call(openLiveChannel, { params })).url,
    onFrame: (frame) => frames.push(frame),
    WebSocket,
  });
  const told = (requestId: string): LiveMessage[] =>
    frames.flatMap((frame) =>
      frame.type === "live" && "requestId" in frame.message && frame.message.requestId === requestId
        ? [frame.message]
        : [],
    );
  const linesOf = (requestId: string): string[] =>
    told(requestId).flatMap((message) =>
      message.type === "auto_start_output" ? message.lines : [],
    );
  try {
    await vi.waitUntil(() => frames.length > 0, patience);
    const headers = { "idempotency-key": "first" };
    await client.call(runServices, { params, headers });
    await client.call(runServices, { params, headers });
    await expect(client.call(runServices, { params })).rejects.toMatchObject({
      code: "service_trial_running",
    });
    const finished = await vi.waitUntil(
      () => told("first").find(({ type }) => type === "auto_start_finished"),
      patience,
    );
    const services = [
      { name: "web", status: "running", exitCode: null, detail: null },
      { name: "a b", status: "failed", exitCode: null },
    ];
    expect(finished).toMatchObject({ services, failure: null });
    expect(linesOf("first")).toEqual(["serving with [redacted]"]);

    // On the live channel too; and it is over when the session is.
    expect(watch.send({ type: "run_auto_start", requestId: "second" })).toBe(true);
    await vi.waitUntil(() => linesOf("second").length > 0, patience);
    expect(linesOf("second")).toEqual(["serving with [redacted]"]);
    await client.call(deleteSession, { params });
    const stopped = ({ message }: { readonly message: LiveMessage }): boolean =>
      message.type === "status" && message.status === "stopped";
    await vi.waitUntil(
      () => frames.some((frame) => frame.type === "live" && stopped(frame)),
      patience,
    );
  } finally {
    watch.close();
  }
  const ref = { organization: stack.organization, aggregate: "session", id: sessionId } as const;
  const types: string[] = [];
  for await (const { commit } of readAggregate(stack.program.platform.store, ref)) {
    types.push(...domainEventsOf(commit).map(({ type }) => type));
  }
  expect(types.filter((type) => type.startsWith("Service"))).toEqual([
    "ServiceTrialRequested",
    "ServicesTried",
    "ServiceTrialRequested",
  ]);
}, 300_000);
