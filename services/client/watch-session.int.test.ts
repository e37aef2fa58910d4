import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { closeCodes, type ServerFrame } from "#contracts/live/messages";
import { ProblemError } from "./problem-error.ts";
import { type Watch, watchSession, type WatchOptions, type WatchState } from "./watch-session.ts";

const init = (seq: number): ServerFrame => ({
  type: "init",
  seq,
  messages: [],
  streaming: [],
  status: "running",
});
const resumed = (seq: number): ServerFrame => ({ type: "resumed", seq });
const live = (seq: number): ServerFrame => ({
  type: "live",
  seq,
  message: { type: "status", status: "running", detail: null },
});

interface Connection {
  readonly ticket: string | null;
  readonly lastSeq: string | null;
  readonly socket: WebSocket;
  send(...frames: readonly unknown[]): void;
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A live channel whose frames the test sends itself. */
const startChannel = async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  const connections: Connection[] = [];
  server.on("connection", (socket, request) => {
    const { searchParams } = new URL(request.url ?? "", "ws://host");
    connections.push({
      ticket: searchParams.get("ticket"),
      lastSeq: searchParams.get("lastSeq"),
      socket,
      send: (...frames) => {
        for (const frame of frames) socket.send(JSON.stringify(frame));
      },
    });
  });
  await once(server, "listening");
  closing.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/v1/live`,
    connections,
    connection: (index: number) =>
      vi.waitUntil(() => connections[index], { timeout: 30_000, interval: 5 }),
  };
};

const startWatch = (options: Partial<WatchOptions> & Pick<WatchOptions, "openSocket">) => {
  const frames: ServerFrame[] = [];
  const states: WatchState[] = [];
  const watch: Watch = watchSession({
    WebSocket,
    onFrame: (frame) => frames.push(frame),
    onState: (state) => states.push(state),
    reconnectDelayMs: () => 1,
    ...options,
  });
  closing.push(watch.close);
  return { watch, frames, states };
};
const unknown = new ProblemError({ code: "session_not_found", status: 404, detail: "unknown" });
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 5 });

describe("watching a session", () => {
  it("goes on where the connection broke, with a new ticket and nothing told twice", async () => {
    const channel = await startChannel();
    let tickets = 0;
    const openSocket = () => Promise.resolve(`${channel.url}?ticket=${++tickets}`);
    const { frames, states } = startWatch({ openSocket });

    const first = await channel.connection(0);
    expect(first).toMatchObject({ ticket: "1", lastSeq: null });
    first.send(init(4), live(5), live(6));
    await eventually(() => expect(frames).toEqual([init(4), live(5), live(6)]));
    first.socket.terminate();

    const second = await channel.connection(1);
    expect(second).toMatchObject({ ticket: "2", lastSeq: "6" });
    second.send(resumed(6), live(6), live(7), { type: "from the future" }, live(8));
    await eventually(() => expect(frames.slice(3)).toEqual([resumed(6), live(7), live(8)]));
    expect(states.map(({ status }) => status)).toEqual([
      "connecting",
      "live",
      "waiting",
      "connecting",
      "live",
    ]);
  });

  it("begins anew when the channel did", async () => {
    const channel = await startChannel();
    const { frames } = startWatch({ openSocket: () => Promise.resolve(channel.url) });
    (await channel.connection(0)).send(init(90), live(91));
    await eventually(() => expect(frames).toHaveLength(2));
    channel.connections[0]?.socket.close(closeCodes.slowConsumer);
    (await channel.connection(1)).send(init(2), live(3));
    await eventually(() => expect(frames.slice(2)).toEqual([init(2), live(3)]));
  });

  it("gives up a connection on which not even pings are answered", async () => {
    const channel = await startChannel();
    startWatch({ openSocket: () => Promise.resolve(channel.url), pingEveryMs: 200 });
    await channel.connection(0);
    await channel.connection(1);
  });

  it("keeps trying while the server is away", async () => {
    const channel = await startChannel();
    const away = new ProblemError({ code: "unreachable", status: 0, detail: "away" });
    const openSocket = vi.fn<() => Promise<string>>();
    openSocket
      .mockRejectedValueOnce(away)
      .mockRejectedValueOnce(away)
      .mockResolvedValue(channel.url);
    const { states } = startWatch({ openSocket });
    (await channel.connection(0)).send(init(1));
    await eventually(() => expect(states.at(-1)).toEqual({ status: "live" }));
    expect(states).toContainEqual({ status: "waiting", attempt: 2, retryInMs: 1 });
    expect(openSocket).toHaveBeenCalledTimes(3);
  });

  it("waits for a session that was made this moment, wherever it is not known yet", async () => {
    const channel = await startChannel();
    const openSocket = vi.fn<() => Promise<string>>();
    openSocket.mockRejectedValueOnce(unknown).mockResolvedValue(channel.url);
    const { frames } = startWatch({ openSocket });
    (await channel.connection(0)).socket.close(closeCodes.notFound);
    (await channel.connection(1)).send(init(1));
    await eventually(() => expect(frames).toEqual([init(1)]));
  });

  it("does not wait for ever for a session that is not there", async () => {
    const openSocket = vi.fn(() => Promise.reject(unknown));
    const { states } = startWatch({ openSocket });
    await eventually(() => expect(states.at(-1)).toEqual({ status: "closed", error: unknown }));
    expect(openSocket).toHaveBeenCalledTimes(6);
  });

  it("stops when the server speaks another version", async () => {
    const channel = await startChannel();
    const openSocket = vi.fn(() => Promise.resolve(channel.url));
    const { states } = startWatch({ openSocket });
    (await channel.connection(0)).socket.close(closeCodes.protocolUnsupported);
    await eventually(() =>
      expect(states.at(-1)).toMatchObject({
        status: "closed",
        error: { code: "protocol_unsupported", status: 426 },
      }),
    );
    expect(openSocket).toHaveBeenCalledTimes(1);
  });

  it("stops when the sign-in is over", async () => {
    const expired = new ProblemError({ code: "token_expired", status: 401, detail: "over" });
    const { states } = startWatch({ openSocket: () => Promise.reject(expired) });
    await eventually(() => expect(states.at(-1)).toEqual({ status: "closed", error: expired }));
  });

  it("is quiet after its close, also when that comes before the ticket", async () => {
    const channel = await startChannel();
    let give: (url: string) => void = () => undefined;
    const openSocket = () => new Promise<string>((resolve) => (give = resolve));
    const { watch, states } = startWatch({ openSocket });
    watch.close();
    give(channel.url);
    await Promise.resolve();
    expect(states.at(-1)).toEqual({ status: "closed", error: null });
    expect(channel.connections).toHaveLength(0);
  });
});

it("says on the connection that is open what it is told to say, and where it stands", async () => {
  const channel = await startChannel();
  const { watch } = startWatch({
    openSocket: () => Promise.resolve(`${channel.url}?ticket=one`),
    presence: true,
  });
  expect(watch.send({ type: "typing", typing: true })).toBe(false);
  const { socket } = await channel.connection(0);
  const heard: unknown[] = [];
  socket.on("message", (data: Buffer) => heard.push(JSON.parse(data.toString())));
  await vi.waitUntil(() => watch.send({ type: "typing", typing: true }), { timeout: 30_000 });
  await eventually(() => expect(heard).toEqual([{ type: "typing", typing: true }]));
});
