import { once } from "node:events";
import { Kvm } from "@nats-io/kv";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import WebSocket from "ws";
import { invokeAction } from "#contracts/http/actions";
import { createSession, getSession, openLiveChannel } from "#contracts/http/sessions";
import { newId } from "#contracts/ids";
import { append } from "#event-store/append/append";
import { newCommandMeta } from "#event-store/command-meta";
import { openLeases } from "#event-store/leases/leases";
import { listDeadLetters } from "#event-store/workers/dead-letters";
import { dropDeadLetter } from "#event-store/workers/drop";
import { startReactor } from "#event-store/workers/reactor";
import { deriveSandboxToken } from "#sandbox/token";
import { createClient } from "../client/client.ts";
import { startTestStack, type TestStack } from "../testing/test-stack.ts";

const token = "metrics-token-of-the-test";
const patience = { timeout: 30_000, interval: 50 };

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({
    ROLES: "projector,worker,fanout,gateway",
    METRICS_TOKEN: token,
    METRICS_PORT: "0",
  });
}, 120_000);
afterAll(() => stack.close());

/** Where the gateway has the page, and where it has a port of its own. */
const pages = (): readonly string[] =>
  [stack.url, stack.program.metricsUrl ?? "none"].map((url) => `${url}/metrics`);

const get = (url: string, bearer = token): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${bearer}` } });

/** The values by series as they stand in the text: `name{label="value"}`. */
const collect = async (): Promise<ReadonlyMap<string, number>> => {
  const text = await (await get(pages()[1] ?? "")).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
};

const valueOf = async (series: string): Promise<number> => (await collect()).get(series) ?? 0;

/** Polls: what is measured is there soon after whoever waited for it has gone on. */
const reaches = (series: string, value: number): Promise<void> =>
  vi.waitFor(async () => expect(await valueOf(series)).toBe(value), patience);

const newSession = () => stack.client.call(createSession, { body: { title: "One" } });

describe("the page of the metrics", () => {
  it("is for whoever has the token, on either port, and in either place the same", async () => {
    for (const page of pages()) {
      expect((await fetch(page)).status).toBe(401);
      const refused = await get(page, "some-other-token-of-anybody");
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ code: "unauthenticated" });
      const given = await get(page);
      expect(given.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
      const text = await given.text();
      expect(text).toContain("# TYPE proliferate_append_duration_seconds histogram");
      expect(text).toContain("# TYPE process_cpu_seconds_total counter");
    }
    expect((await get(`${stack.program.metricsUrl}/healthz`)).status).toBe(404);
  });

  it("names no session, no organisation and no path in a label", async () => {
    const { sessionId } = await newSession();
    await vi.waitFor(
      () => stack.client.call(getSession, { params: { sessionId }, query: {} }),
      patience,
    );
    await vi.waitFor(async () => {
      const series = [...(await collect()).keys()].join("\n");
      expect(series).toContain('route="/v1/sessions/:sessionId",method="GET",status="200"');
      expect(series).not.toContain(sessionId);
      expect(series).not.toContain(stack.organization);
    }, patience);
  });
});

describe("what is counted", () => {
  it("are requests by their route, and appends with their events", async () => {
    const request =
      'proliferate_http_request_duration_seconds_count{route="/v1/sessions",method="POST",status="201"}';
    const created = 'proliferate_events_total{type="SessionCreated"}';
    const before = await collect();
    await newSession();
    await reaches(request, (before.get(request) ?? 0) + 1);
    const after = await collect();
    expect(after.get(created)).toBe((before.get(created) ?? 0) + 1);
    const appends = "proliferate_append_duration_seconds_count";
    expect(after.get(appends)).toBeGreaterThan(before.get(appends) ?? Infinity);
  });

  it("are appends that lose a race, which are no others", async () => {
    const { sessionId } = await newSession();
    const conflicts = 'proliferate_append_conflicts_total{aggregate="session"}';
    const created = 'proliferate_events_total{type="SessionCreated"}';
    const before = await collect();
    const late = append(
      stack.program.platform.store,
      { organization: stack.organization, aggregate: "session", id: sessionId },
      {
        v: 1,
        events: [{ id: newId("event"), type: "SessionCreated", v: 1, data: {} }],
        meta: newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } }),
      },
      { expected: "new" },
    );
    await expect(late).rejects.toMatchObject({ code: "concurrency_conflict" });
    const after = await collect();
    expect(after.get(conflicts)).toBeGreaterThan(before.get(conflicts) ?? Infinity);
    expect(after.get(created)).toBe(before.get(created));
  });

  it("are messages that a worker gives up, until somebody settles them", async () => {
    const { store, log } = stack.program.platform;
    const worker = await startReactor(store, {
      name: "gives-up",
      aggregates: ["session"],
      react: () => Promise.reject(new Error("never")),
      maxAttempts: 1,
      log: { ...log, info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    try {
      await newSession();
      await vi.waitFor(async () => {
        const values = await collect();
        const letters = values.get('proliferate_dead_letters{worker="gives-up"}');
        expect(letters).toBeGreaterThan(0);
        expect(values.get('proliferate_message_failures_total{worker="gives-up"}')).toBe(letters);
      }, patience);
    } finally {
      await worker.stop();
    }
    for await (const { id } of listDeadLetters(store, { worker: "gives-up" })) {
      await dropDeadLetter(store, id, { by: "test", reason: "seen" });
    }
    expect((await collect()).has('proliferate_dead_letters{worker="gives-up"}')).toBe(false);
  });

  it("are leases that are lost, and not those that are given back", async () => {
    const { store } = stack.program.platform;
    const losses = 'proliferate_lease_losses_total{kind="runtime"}';
    const before = await valueOf(losses);
    const returned = await (await openLeases(store, "runtime")).acquire("returned", "test");
    await returned?.release();
    expect(await valueOf(losses)).toBe(before);

    const short = await openLeases(store, "runtime", { ttlMs: 3_000 });
    const lease = await short.acquire("taken", "test");
    await (await new Kvm(store.js).open("leases_runtime_3000")).delete("taken");
    await vi.waitUntil(() => lease?.lost.aborted, patience);
    expect(await valueOf(losses)).toBe(before + 1);
  });

  it("are actions by their mode, and by what came of them", async () => {
    const asked =
      'proliferate_action_invocations_total{kind="integration",mode="allow",mode_source="inferred"}';
    const completed = 'proliferate_action_outcomes_total{outcome="completed"}';
    const before = await collect();
    const { sessionId } = await newSession();
    const accessToken = deriveSandboxToken({
      secret: stack.program.platform.keys.sandboxTokens,
      sessionId,
      organizationId: stack.organization,
    });
    await createClient({ baseUrl: stack.url, accessToken }).call(invokeAction, {
      params: { sessionId },
      body: { integration: "demo", action: "list_releases", params: {} },
    });
    await reaches(completed, (before.get(completed) ?? Infinity) + 1);
    expect(await valueOf(asked)).toBe((before.get(asked) ?? 0) + 1);
  });

  it("are those who watch, and what they were sent", async () => {
    const clients = 'proliferate_fanout_clients{transport="websocket"}';
    expect(await valueOf(clients)).toBe(0);
    const { sessionId } = await newSession();
    const { url } = await stack.client.call(openLiveChannel, { params: { sessionId }, query: {} });
    const socket = new WebSocket(url);
    await once(socket, "message");
    const values = await collect();
    expect(values.get(clients)).toBe(1);
    expect(values.get('proliferate_fanout_watched_sessions{transport="websocket"}')).toBe(1);
    const sent = 'proliferate_fanout_frames_sent_total{transport="websocket"}';
    expect(values.get(sent)).toBeGreaterThan(0);
    expect(values.get('proliferate_fanout_clients{transport="event_stream"}')).toBe(0);
    socket.close();
    await reaches(clients, 0);
  });

  it("is how far the read models are", async () => {
    const values = await collect();
    expect(values.get('proliferate_projection_halted{model="audit",shard="0"}')).toBe(0);
    expect(values.get('proliferate_projection_log_end{model="audit",shard="0"}')).toBeGreaterThan(
      0,
    );
  });
});
