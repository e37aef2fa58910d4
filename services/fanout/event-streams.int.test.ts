import type { AddressInfo } from "node:net";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import { type ServerFrame, serverFrameSchema } from "#contracts/live/messages";
import { publishLive } from "#event-store/live-channel";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";

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
