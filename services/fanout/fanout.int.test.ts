import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { DomainError } from "#contracts/errors";
import { newId, type OrganizationId, type SessionId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import type { SessionStatus } from "#contracts/session/view";
import type { MessageView } from "#contracts/transcript/view";
import { connectToNats } from "#event-store/connection";
import { openEventStore } from "#event-store/event-store";
import { publishLive } from "#event-store/live/live-channel";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { type Fanout, type FanoutOptions, startFanout } from "./fanout.ts";
import { openSocketServer } from "./sockets/open-socket-server.ts";
import { connectClient, textOf } from "./testing/live-client.ts";
import { openWsServer } from "./sockets/ws-adapter.ts";

const patience = { timeout: 30_000, interval: 20 };
const adapters = [
  ["the best adapter", openSocketServer],
  ["ws", (options: Parameters<typeof openWsServer>[0]) => openWsServer(options)],
] as const;

let nats: TestEventStore;
beforeAll(async () => {
  nats = await openTestEventStore();
});
afterAll(() => nats.close());

describe.each(adapters)("fan-out on %s", (_name, openSockets) => {
  const fanouts: Fanout[] = [];
  afterEach(async () => {
    await Promise.all(fanouts.splice(0).map((fanout) => fanout.close()));
  });

  /** A session of its own, a tier that serves it, and the read models as plain variables. */
  const start = async (changes: Partial<FanoutOptions> = {}) => {
    const organizationId: OrganizationId = newId("organization");
    const sessionId: SessionId = newId("session");
    const past = {
      transcript: [] as MessageView[],
      status: "running" as SessionStatus | null,
    };
    const fanout = await startFanout({
      store: nats.store,
      port: 0,
      verifyTicket: (ticket) =>
        ticket === "good"
          ? Promise.resolve({ sessionId, organizationId, userId: newId("user"), access: "watch" })
          : Promise.reject(new DomainError("unauthenticated", "No such ticket.")),
      commands: null,
      loadTranscript: () => Promise.resolve(past.transcript),
      loadStatus: () => Promise.resolve(past.status),
      log: pino({ level: "silent" }),
      openSockets,
      ...changes,
    });
    fanouts.push(fanout);
    const url = `ws://127.0.0.1:${String(fanout.port)}/v1/live`;
    return {
      fanout,
      past,
      ticket: { sessionId, organizationId, userId: newId("user"), access: "watch" } as const,
      publish: (message: LiveMessage) =>
        publishLive(nats.store, { organization: organizationId, session: sessionId }, message),
      connect: (lastSeq?: number) =>
        connectClient(
          `${url}?ticket=good${lastSeq === undefined ? "" : `&lastSeq=${String(lastSeq)}`}`,
        ),
      connectWith: (query: string) => connectClient(`${url}?${query}`),
    };
  };

  const token = (index: number): LiveMessage => ({
    type: "token",
    kind: "text",
    messageId: "m1",
    partId: "p1",
    delta: `${String(index)},`,
  });
  const textUpTo = (count: number): string =>
    Array.from({ length: count }, (_, index) => `${String(index)},`).join("");
  const message = (id: string) => ({
    id,
    role: "assistant" as const,
    promptId: null,
    parts: [{ kind: "text" as const, id: "p", text: "done" }],
    finish: "stop",
    failure: null,
    usage: null,
    cost: null,
    filesChanged: null,
  });

  it("first tells everything so far, then what happens", async () => {
    const { past, publish, connect } = await start();
    past.transcript = [{ ...message("m0"), index: 0, at: "2030-01-01T00:00:00.000Z" }];
    await publish(token(0));
    await publish({ type: "message", message: message("m9") });
    await publish({ ...token(1), messageId: "m2" } as LiveMessage);
    const client = await connect();
    await vi.waitFor(() => {
      expect(client.frames()).toHaveLength(1);
    }, patience);
    const [init] = client.frames();
    expect(init).toMatchObject({
      type: "init",
      status: "running",
      // The read model knows nothing of m9 yet, and it will not be sent live again.
      messages: [
        { id: "m0", index: 0 },
        { id: "m9", index: 1 },
      ],
      streaming: [
        { id: "m1", parts: [{ text: "0," }] },
        { id: "m2", parts: [{ text: "1," }] },
      ],
    });
    await publish({ type: "status", status: "paused", detail: null });
    await vi.waitFor(() => {
      expect(client.live().map(({ message: { type } }) => type)).toEqual(["status"]);
    }, patience);
  });

  it("leaves no gap and repeats nothing between the first frame and the next, under a writer", async () => {
    let slow = 0;
    const { publish, connect } = await start({
      // The transcript takes as long as a few messages, a different number each time.
      loadTranscript: async () => {
        slow += 1;
        for (let turn = 0; turn < slow * 20; turn += 1) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        return [];
      },
    });
    const total = 400;
    const clients: ReturnType<typeof connect>[] = [];
    for (let index = 0; index < total; index += 1) {
      if (index % 50 === 25) clients.push(connect());
      await publish(token(index));
    }
    for (const client of await Promise.all(clients)) {
      await vi.waitFor(() => {
        expect(textOf(client.streaming())).toBe(textUpTo(total));
      }, patience);
      const seqs = client.live().map(({ seq }) => seq);
      expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
    }
  });

  it("goes on exactly where a cut connection broke, again and again", async () => {
    const { publish, connect, fanout } = await start();
    const total = 301;
    let text = "";
    let client = await connect();
    await vi.waitFor(() => {
      expect(client.frames()).toHaveLength(1);
    }, patience);
    for (let index = 0; index < total; index += 1) {
      await publish(token(index));
      if (index % 60 !== 59) continue;
      await vi.waitFor(() => {
        expect(client.live().length).toBeGreaterThan(0);
      }, patience);
      client.cut();
      await client.closed;
      text += textOf(client.streaming());
      const lastSeq = client.lastSeq();
      await publish(token((index += 1)));
      client = await connect(lastSeq);
      await vi.waitFor(() => {
        expect(client.frames().at(0)).toEqual({ type: "resumed", seq: lastSeq });
      }, patience);
    }
    await vi.waitFor(() => {
      expect(text + textOf(client.streaming())).toBe(textUpTo(total));
    }, patience);
    expect(fanout.stats().feedsOpened).toBe(1);
  });

  it("resumes at an instance that has just begun to follow the session", async () => {
    const first = await start();
    const client = await first.connect();
    await vi.waitFor(() => {
      expect(client.frames()).toHaveLength(1);
    }, patience);
    for (let index = 0; index < 10; index += 1) await first.publish(token(index));
    await vi.waitFor(() => {
      expect(client.live().length).toBeGreaterThan(0);
    }, patience);
    client.cut();
    await client.closed;
    const seen = textOf(client.streaming());
    await first.fanout.close();
    fanouts.splice(fanouts.indexOf(first.fanout), 1);

    const second = await start({ verifyTicket: () => Promise.resolve(first.ticket) });
    const again = await second.connect(client.lastSeq());
    await vi.waitFor(() => {
      expect(seen + textOf(again.streaming())).toBe(textUpTo(10));
    }, patience);
    expect(again.frames()[0]?.type).toBe("resumed");
  });

  it("sends everything anew when the point to resume from is unknown", async () => {
    const { publish, connect } = await start({ limits: { ringFrames: 2 } });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await publish({ type: "retrying", attempt, detail: "busy" });
    }
    for (const lastSeq of [0, 1, 999_999_999]) {
      const client = await connect(lastSeq);
      await vi.waitFor(() => {
        expect(client.frames().map(({ type }) => type)).toEqual(["init"]);
      }, patience);
    }
  });

  it("cuts off a client that does not read; others and its own resumption lose nothing", async () => {
    const { publish, connect, fanout } = await start({
      limits: { maxBackpressure: 256 * 1024, ringFrames: 10_000, ringBytes: 256 * 1024 * 1024 },
    });
    const healthy = await connect();
    const slow = await connect();
    await vi.waitFor(() => {
      expect(healthy.frames()).toHaveLength(1);
      expect(slow.frames()).toHaveLength(1);
    }, patience);
    slow.ws.pause();
    const padding = "x".repeat(20_000);
    let published = 0;
    while (fanout.stats().slowConsumers === 0 && published < 3_000) {
      published += 1;
      await publish({ type: "retrying", attempt: published, detail: padding });
      // The writer waits for the healthy reader, which lives in this very process.
      await vi.waitFor(
        () => {
          expect(healthy.texts).toHaveLength(published + 1);
        },
        { ...patience, interval: 1 },
      );
    }
    expect(fanout.stats().slowConsumers).toBe(1);
    slow.ws.resume();
    expect(await slow.closed).toEqual({ code: 4408, reason: "slow_consumer" });
    await vi.waitFor(() => {
      expect(fanout.stats().clients).toBe(1);
    }, patience);

    const resumed = await connect(slow.lastSeq());
    const attemptsOf = (client: typeof slow): number[] =>
      client
        .live()
        .map(({ message: told }) => (told.type === "retrying" ? told.attempt : Number.NaN));
    const all = Array.from({ length: published }, (_, index) => index + 1);
    await vi.waitFor(() => {
      expect([...attemptsOf(slow), ...attemptsOf(resumed)]).toEqual(all);
    }, patience);
    expect(attemptsOf(healthy)).toEqual(all);
    expect(resumed.frames()[0]?.type).toBe("resumed");
  });

  it("follows a session once for ten clients, and not at all after the last one", async () => {
    const { publish, connect, fanout } = await start({ limits: { graceMs: 0 } });
    const consumers = async (): Promise<number> => {
      const { state } = await nats.store.jsm.streams.info("LIVE");
      return state.consumer_count;
    };
    const before = await consumers();
    const clients = await Promise.all(Array.from({ length: 10 }, () => connect()));
    await publish(token(0));
    await vi.waitFor(() => {
      for (const client of clients) expect(textOf(client.streaming())).toBe("0,");
    }, patience);
    expect(fanout.stats()).toMatchObject({ clients: 10, watchedSessions: 1, feedsOpened: 1 });
    expect(await consumers()).toBe(before + 1);
    for (const client of clients) client.ws.close();
    await vi.waitFor(() => {
      expect(fanout.stats()).toMatchObject({ clients: 0, watchedSessions: 0 });
    }, patience);
  });

  it("lets in only valid tickets, and only real sessions", async () => {
    const { past, connect, connectWith } = await start();
    for (const query of ["ticket=forged", ""]) {
      const client = await connectWith(query);
      expect(await client.closed).toEqual({ code: 4401, reason: "unauthenticated" });
      expect(client.frames()).toMatchObject([{ type: "error", code: "unauthenticated" }]);
    }
    const malformed = await connectWith("ticket=good&lastSeq=-1");
    expect((await malformed.closed).code).toBe(4400);
    past.status = null;
    const lost = await connect();
    expect(await lost.closed).toEqual({ code: 4404, reason: "session_not_found" });
  });

  it("answers a ping, and ends a connection that sends anything else", async () => {
    const { connect } = await start();
    const client = await connect();
    client.ws.send(JSON.stringify({ type: "ping" }));
    await vi.waitFor(() => {
      expect(client.frames()).toContainEqual({ type: "pong" });
    }, patience);
    client.ws.send("{");
    expect(await client.closed).toEqual({ code: 4400, reason: "frame_invalid" });
    expect(client.frames().at(-1)).toMatchObject({ type: "error", code: "frame_invalid" });
  });

  it("ends the connection when the transcript cannot be read", async () => {
    const { connect } = await start({
      loadTranscript: () => Promise.reject(new Error("no database")),
    });
    const client = await connect();
    expect(await client.closed).toEqual({ code: 1011, reason: "internal" });
    expect(JSON.stringify(client.frames())).not.toContain("no database");
  });

  it("begins again for everybody when the live channel itself was lost", async () => {
    const connection = await connectToNats({ url: nats.url, name: "tier" });
    const store = await openEventStore({ connection, durability: nats.durability });
    const { publish, connect, fanout } = await start({ store });
    for (let index = 0; index < 5; index += 1) await publish(token(index));
    const client = await connect();
    await vi.waitFor(() => {
      expect(textOf(client.streaming())).toBe(textUpTo(5));
    }, patience);
    await nats.store.jsm.streams.delete("LIVE");
    await openEventStore({ connection: nats.connection, durability: nats.durability });
    await connection.reconnect();
    await publish({ ...token(0), messageId: "m2" } as LiveMessage);
    await vi.waitFor(() => {
      expect(client.frames().filter(({ type }) => type === "init")).toHaveLength(2);
      expect(client.streaming()).toEqual([
        { id: "m2", parts: [{ kind: "text", id: "p1", text: "0," }] },
      ]);
    }, patience);
    await fanout.close();
    await connection.close();
  });
});
