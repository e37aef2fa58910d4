import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import { type ServerFrame, serverFrameSchema } from "#contracts/live/messages";
import { publishLive } from "#event-store/live/live-channel";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";
import { openEventStreams } from "./event-streams.ts";

let gateway: TestGateway;
let url: string;
let session: SessionId;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.app.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
});
afterAll(() => gateway.close());
beforeEach(async () => {
  session = await gateway.createSession();
  // The first frame is made from the read model, which follows the log.
  await vi.waitFor(
    async () => {
      const { statusCode } = await gateway.send({
        method: "GET",
        url: `/v1/sessions/${session}`,
        token: gateway.owner.token,
      });
      expect(statusCode).toBe(200);
    },
    { timeout: 30_000 },
  );
});

const ask = (token: string, headers: Record<string, string> = {}, id = session) =>
  fetch(`${url}/v1/sessions/${id}/live`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

/** Reads a stream event by event. */
const listen = async (lastEventId?: string) => {
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const response = await ask(gateway.owner.token, headers);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const next = async () => (await reader.read()).value;
  const nextFrame = async (): Promise<{ id: string | undefined; frame: ServerFrame }> => {
    const event = await next();
    return { id: event?.id, frame: serverFrameSchema.parse(JSON.parse(event?.data ?? "")) };
  };
  return { next, nextFrame, leave: () => reader.cancel() };
};

const say = (delta: string) =>
  publishLive(
    gateway.store,
    { organization: gateway.owner.user.organizationId, session },
    { type: "token", kind: "text", messageId: "m", partId: "p", delta },
  );

it("begins with everything so far, goes on live, and goes on where it broke off", async () => {
  const first = await listen();
  expect((await first.nextFrame()).frame).toMatchObject({ type: "init", status: "pending" });
  await say("one");
  const one = await first.nextFrame();
  expect(one.frame).toMatchObject({ type: "live", message: { delta: "one" } });
  expect(one.id).toBe(String((one.frame as { seq: number }).seq));
  await first.leave();

  await say("two");
  const second = await listen(one.id);
  expect((await second.nextFrame()).frame).toMatchObject({ type: "resumed", seq: Number(one.id) });
  expect((await second.nextFrame()).frame).toMatchObject({ message: { delta: "two" } });
  await second.leave();
});

it("lets in whoever may see the session, and answers the others before there is a stream", async () => {
  expect((await ask("nonsense")).status).toBe(401);
  expect((await ask(gateway.stranger.token)).status).toBe(404);
  expect((await ask(gateway.owner.token, {}, newId("session"))).status).toBe(404);
  expect((await ask(gateway.owner.token, { "last-event-id": "x" })).status).toBe(422);
  const head = await fetch(`${url}/v1/sessions/${session}/live`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${gateway.owner.token}` },
  });
  expect(head.status).toBe(404);
});

it("lets one person have so many, and gives the place of each back when its reader goes", async () => {
  const streams = openEventStreams({
    store: gateway.store,
    log: pino({ level: "silent" }),
    loadTranscript: () => Promise.resolve([]),
    loadStatus: () => Promise.resolve("pending"),
    limits: { streamsPerPerson: 2 },
  });
  const { organizationId } = gateway.owner.user;
  const open = (userId = gateway.owner.user.id) =>
    streams.open({ sessionId: session, organizationId, userId, lastEventId: null });
  const refusal = expect.objectContaining({ code: "too_many_event_streams", status: 429 }) as Error;
  const [first] = [open(), open()];
  expect(() => open()).toThrow(refusal);
  open(gateway.member.user.id);
  first?.destroy();
  await vi.waitFor(() => open(), { timeout: 30_000 });
  expect(() => open()).toThrow(refusal);
  await streams.close();
});

it("ends a stream that nobody reads, and tells why to whoever reads at last; others lose nothing", async () => {
  const streams = openEventStreams({
    store: gateway.store,
    log: pino({ level: "silent" }),
    loadTranscript: () => Promise.resolve([]),
    loadStatus: () => Promise.resolve("pending"),
    limits: { maxBackpressure: 64 * 1024, batchWindowMs: 0 },
  });
  const { id: userId, organizationId } = gateway.owner.user;
  const watcher = { sessionId: session, organizationId, userId, lastEventId: null };
  const [idle, busy] = [streams.open(watcher), streams.open(watcher)];
  let read = "";
  busy.on("data", (chunk: Buffer) => (read += chunk.toString("utf8")));
  await vi.waitFor(() => expect(read).toContain('"type":"init"'), { timeout: 30_000 });
  const patience = { timeout: 30_000, interval: 5 };
  const deltas = Array.from({ length: 96 }, (_, index) => `${index}:${"x".repeat(4_096)}`);
  for (const [index, delta] of deltas.entries()) {
    await say(delta);
    // Never so much at once that a reader could be taken for one that does not read.
    if (index % 8 === 7) await vi.waitFor(() => expect(read).toContain(`"${delta}"`), patience);
  }
  for (const delta of deltas) expect(read).toContain(`"${delta}"`);
  busy.destroy();
  const late = await text(idle);
  expect(late).toMatch(/event: close\ndata: \{"code":4408,"reason":"slow_consumer"\}\n\n$/);
  expect(late).not.toContain(`"${deltas.at(-1)}"`);
  await streams.close();
});
