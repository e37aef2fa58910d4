/** What clients say on the live channel, over real sockets, to two instances that share the session. */
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { listPrompts } from "#contracts/http/prompts";
import { deleteSession, pauseSession, renameSession } from "#contracts/http/sessions";
import type { SessionId, UserId } from "#contracts/ids";
import type { ClientFrame, LiveAccess } from "#contracts/live/client-frames";
import { type Client, createClient } from "../client/client.ts";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";
import { signLiveTicket, verifyLiveTicket } from "../identity/signed-tokens.ts";
import { createLiveCommands } from "../sessions/live/live-commands.ts";
import { type Fanout, startFanout } from "./fanout.ts";
import { connectClient, type TestClient } from "./testing/live-client.ts";

const patience = { timeout: 30_000, interval: 20 };
const log = pino({ level: "silent" });

let gateway: TestGateway;
let owner: Client;
let member: Client;
let session: SessionId;
const fanouts: Fanout[] = [];
const clients: TestClient[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  const baseUrl = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
  owner = createClient({ baseUrl, accessToken: gateway.owner.token });
  member = createClient({ baseUrl, accessToken: gateway.member.token });
  const { store, keys, identity } = gateway;
  const start = () =>
    startFanout({
      store,
      port: 0,
      verifyTicket: (ticket) => verifyLiveTicket(keys.liveTickets, ticket, new Date()),
      commands: {
        ...createLiveCommands({
          store,
          log,
          defaultModel: "model",
          findUser: identity.findUser,
        }),
        // As a push to a remote that does not answer.
        git: () => new Promise(() => undefined),
      },
      loadTranscript: () => Promise.resolve([]),
      loadStatus: () => Promise.resolve("pending"),
      log,
      limits: { clientFrames: { burst: 20, perSecond: 0 }, waitingRequests: 12 },
    });
  fanouts.push(await start(), await start());
});
afterAll(async () => {
  await Promise.all(fanouts.map((fanout) => fanout.close()));
  await gateway.close();
});
beforeEach(async () => {
  session = await gateway.createSession();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.cut();
});

interface Connect {
  readonly access?: LiveAccess;
  readonly query?: string;
  /** Which instance. */
  readonly at?: 0 | 1;
}

/** Connects and waits for the first frame, unless another query is to be tried. */
const connect = async (
  userId: UserId,
  { access = "take_part", query = "", at = 0 }: Connect = {},
): Promise<TestClient & { say(frame: unknown): void }> => {
  const { organizationId } = gateway.owner.user;
  const ticket = { sessionId: session, organizationId, userId, access };
  const { token } = await signLiveTicket(gateway.keys.liveTickets, ticket, new Date());
  const url = `ws://127.0.0.1:${fanouts[at]?.port}/v1/live?ticket=${token}${query}`;
  const client = await connectClient(url);
  clients.push(client);
  await vi.waitFor(() => expect(client.frames().length).toBeGreaterThan(0), patience);
  return { ...client, say: (frame) => client.ws.send(JSON.stringify(frame)) };
};
const answersOf = (client: TestClient) =>
  client.frames().filter(({ type }) => type === "accepted" || type === "refused");
const prompt = (requestId: string, text = requestId): ClientFrame => ({
  type: "prompt",
  requestId,
  text,
});

it("several people ask in one session, each in their own name, and a repetition is one prompt", async () => {
  const ours = await connect(gateway.owner.user.id);
  const theirs = await connect(gateway.member.user.id, { at: 1 });
  ours.say(prompt("one"));
  await vi.waitFor(() => expect(answersOf(ours)).toHaveLength(1), patience);
  theirs.say(prompt("two"));
  theirs.say(prompt("two"));
  await vi.waitFor(() => expect(answersOf(theirs)).toHaveLength(2), patience);
  const { prompts } = await owner.call(listPrompts, { params: { sessionId: session } });
  expect(prompts).toMatchObject([
    { text: "one", by: gateway.owner.user.id },
    { text: "two", by: gateway.member.user.id },
  ]);
  const promptId = prompts[1]?.promptId;
  expect(answersOf(theirs)).toMatchObject([
    { type: "accepted", requestId: "two", promptId },
    { type: "accepted", requestId: "two", promptId },
  ]);
  ours.say({ type: "cancel", requestId: "stop" });
  await vi.waitFor(async () => {
    const after = await owner.call(listPrompts, { params: { sessionId: session } });
    expect(after.prompts.map(({ status }) => status)).toEqual(["cancelling", "cancelling"]);
  }, patience);
});

it("requests are carried out in the order in which they came", async () => {
  const client = await connect(gateway.owner.user.id);
  const asked = Array.from({ length: 10 }, (_, index) => `ask-${index}`);
  for (const requestId of asked) client.say(prompt(requestId));
  await vi.waitFor(() => expect(answersOf(client)).toHaveLength(asked.length), patience);
  const { prompts } = await owner.call(listPrompts, { params: { sessionId: session } });
  expect(prompts.map(({ text }) => text)).toEqual(asked);
});

it("git holds nothing else up, and only so much of it waits", async () => {
  const client = await connect(gateway.owner.user.id);
  for (let index = 0; index < 13; index += 1) {
    client.say({ type: "git_push", requestId: `push-${index}` });
  }
  client.say({ type: "cancel", requestId: "stop" });
  await vi.waitFor(() => {
    expect(answersOf(client)).toMatchObject([
      { type: "refused", requestId: "push-12", code: "too_many_live_requests" },
      { type: "accepted", requestId: "stop" },
    ]);
  }, patience);
});

it("only who made a session, and admins, change it; whoever came to watch changes nothing", async () => {
  const save = (requestId: string) => ({ type: "save_snapshot", requestId });
  const tryServices = (requestId: string) => ({ type: "run_auto_start", requestId });
  const asMember = await connect(gateway.member.user.id);
  asMember.say(save("s1"));
  asMember.say(tryServices("t1"));
  const asOwner = await connect(gateway.owner.user.id);
  asOwner.say(save("s2"));
  asOwner.say(tryServices("t2"));
  const asWatcher = await connect(gateway.owner.user.id, { access: "watch" });
  const cancel = { type: "cancel", requestId: "c1" };
  for (const frame of [prompt("p1"), save("s3"), cancel, tryServices("t3")]) asWatcher.say(frame);
  await vi.waitFor(() => {
    expect(answersOf(asMember)).toMatchObject([
      { type: "refused", requestId: "s1", code: "forbidden" },
      { type: "refused", requestId: "t1", code: "forbidden" },
    ]);
    expect(answersOf(asOwner)).toMatchObject([
      { type: "accepted", requestId: "s2" },
      { type: "refused", requestId: "t2", code: "service_not_found" },
    ]);
    expect(answersOf(asWatcher)).toMatchObject([
      { type: "refused", requestId: "p1", code: "forbidden" },
      { type: "refused", requestId: "s3", code: "forbidden" },
      { type: "refused", requestId: "c1", code: "forbidden" },
      { type: "refused", requestId: "t3", code: "forbidden" },
    ]);
  }, patience);
  const params = { sessionId: session };
  for (const refused of [
    () => member.call(pauseSession, { params }),
    () => member.call(renameSession, { params, body: { title: "Mine" } }),
    () => member.call(deleteSession, { params }),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: "forbidden" });
  }
  await owner.call(renameSession, { params, body: { title: "Ours" } });
});

it("a refusal keeps the connection, and it answers what it is asked about the session", async () => {
  const client = await connect(gateway.owner.user.id);
  client.say(prompt("large", "x".repeat(110_000)));
  client.say({ type: "get_status" });
  client.say({ type: "get_messages" });
  client.say({ type: "ping" });
  await vi.waitFor(() => {
    const frames = client.frames();
    expect(frames).toContainEqual(
      expect.objectContaining({ type: "refused", requestId: "large", code: "prompt_too_large" }),
    );
    expect(frames).toContainEqual({ type: "status", status: "pending" });
    expect(frames).toContainEqual({ type: "pong" });
    expect(frames.filter(({ type }) => type === "init")).toHaveLength(2);
  }, patience);
});

it("tells who is there and who types, also at another instance, until they leave", async () => {
  const [one, other] = [gateway.owner.user.id, gateway.member.user.id];
  const presence = (client: TestClient) =>
    client
      .frames()
      .flatMap((frame) => (frame.type === "presence" ? [frame] : []))
      .at(-1);
  const watching = await connect(one, { query: "&presence=1" });
  const typist = await connect(other, { at: 1 });
  const both = (typing: boolean) => ({
    count: 2,
    people: [
      { userId: one, typing: false },
      { userId: other, typing },
    ].sort((a, b) => (a.userId < b.userId ? -1 : 1)),
  });
  await vi.waitFor(() => expect(presence(watching)).toMatchObject(both(false)), patience);
  typist.say({ type: "typing", typing: true });
  await vi.waitFor(() => {
    const seen = watching.frames();
    expect(seen).toContainEqual({ type: "presence", ...both(true) });
  }, patience);
  // Who comes later to the other instance is told at once.
  const late = await connect(one, { at: 1, query: "&presence=1" });
  await vi.waitFor(() => expect(presence(late)?.count).toBe(2), patience);
  typist.cut();
  await vi.waitFor(() => {
    expect(presence(watching)).toMatchObject({ people: [{ userId: one, typing: false }] });
  }, patience);
  expect(typist.frames().some(({ type }) => type === "presence")).toBe(false);
});

it("ends a connection that says too much at once, or speaks another version", async () => {
  const loud = await connect(gateway.owner.user.id);
  for (let index = 0; index < 40; index += 1) loud.say({ type: "ping" });
  expect(await loud.closed).toEqual({ code: 4429, reason: "too_many_frames" });
  expect(loud.frames().filter(({ type }) => type === "pong")).toHaveLength(20);
  const newer = await connect(gateway.owner.user.id, { query: "&protocol=2" });
  expect(await newer.closed).toEqual({ code: 4426, reason: "protocol_unsupported" });
});
