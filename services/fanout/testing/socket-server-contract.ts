/** What every adapter of `socket-server.ts` has to do, as tests. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type {
  Socket,
  SocketListener,
  SocketServer,
  SocketServerOptions,
} from "../sockets/socket-server.ts";
import { connectSocket } from "./socket-client.ts";

interface Served {
  readonly socket: Socket;
  readonly query: URLSearchParams;
  readonly messages: (string | null)[];
  closes: number;
}

const patience = { timeout: 30_000 };

const encoded = (text: string) => ({ seq: null, data: Buffer.from(text) });

export const describeSocketServer = (
  name: string,
  open: (options: SocketServerOptions) => Promise<SocketServer>,
): void => {
  describe(`socket server on ${name}`, () => {
    const servers: SocketServer[] = [];

    afterEach(async () => {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    });

    const start = async (
      changes: Partial<SocketServerOptions> = {},
      onConnect: (socket: Socket) => void = () => undefined,
    ) => {
      const served: Served[] = [];
      const server = await open({
        path: "/v1/live",
        host: "127.0.0.1",
        port: 0,
        idleTimeoutSeconds: 120,
        maxFrameBytes: 1024,
        allowOrigin: () => true,
        connect: (socket, { query }): SocketListener => {
          const one: Served = { socket, query, messages: [], closes: 0 };
          served.push(one);
          onConnect(socket);
          return {
            message: (text) => one.messages.push(text),
            close: () => {
              one.closes += 1;
            },
          };
        },
        ...changes,
      });
      servers.push(server);
      const first = (): Served => {
        const one = served[0];
        if (!one) throw new Error("nobody is connected");
        return one;
      };
      const url = `ws://127.0.0.1:${String(server.port)}`;
      return { server, served, first, url, liveUrl: `${url}/v1/live` };
    };

    it("hands over the query and carries text both ways", async () => {
      const { liveUrl, first } = await start();
      const client = await connectSocket(`${liveUrl}?ticket=a%20b&lastSeq=7`);
      await vi.waitFor(() => first(), patience);
      expect(first().query.get("ticket")).toBe("a b");
      expect(first().query.get("lastSeq")).toBe("7");
      expect(first().socket.send(["grü", "ße"].map(encoded))).toBe(true);
      client.ws.send("höher");
      client.ws.send(Buffer.from([1, 2, 3]));
      await vi.waitFor(() => {
        expect(client.texts).toEqual(["grü", "ße"]);
        expect(first().messages).toEqual(["höher", null]);
      }, patience);
    });

    it("refuses other paths and unwelcome origins", async () => {
      const asked: (string | null)[] = [];
      const { url, liveUrl, served } = await start({
        allowOrigin: (origin) => {
          asked.push(origin);
          return origin === null;
        },
      });
      await expect(connectSocket(`${url}/other`)).rejects.toThrow("404");
      await expect(connectSocket(liveUrl, { origin: "http://evil.test" })).rejects.toThrow("403");
      expect(served).toHaveLength(0);
      await connectSocket(liveUrl);
      expect(asked).toEqual(["http://evil.test", null]);
    });

    it("says goodbye after what was sent, and is silent from then on", async () => {
      const { liveUrl, first } = await start({}, (socket) => {
        socket.send([encoded("last words")]);
        socket.close(4401, "unauthenticated");
      });
      const client = await connectSocket(liveUrl);
      expect(await client.closed).toEqual({ code: 4401, reason: "unauthenticated" });
      expect(client.texts).toEqual(["last words"]);
      await vi.waitFor(() => {
        expect(first().closes).toBe(1);
      }, patience);
      expect(first().socket.send([encoded("too late")])).toBe(false);
      expect(first().socket.bufferedBytes()).toBe(0);
      first().socket.close(4400, "again");
      expect(first().closes).toBe(1);
    });

    it("counts what a client leaves unread, and still delivers it before the goodbye", async () => {
      const { liveUrl, first } = await start();
      const client = await connectSocket(liveUrl);
      await vi.waitFor(() => first(), patience);
      client.ws.pause();
      const { socket } = first();
      let sent = 0;
      for (; socket.bufferedBytes() < 1024 * 1024 && sent < 2_000; sent += 1) {
        expect(socket.send([encoded("x".repeat(60_000))])).toBe(true);
      }
      expect(socket.bufferedBytes()).toBeGreaterThanOrEqual(1024 * 1024);
      socket.close(4408, "slow_consumer");
      client.ws.resume();
      expect(await client.closed).toEqual({ code: 4408, reason: "slow_consumer" });
      expect(client.texts).toHaveLength(sent);
    });

    it("notices a client that leaves without a word", async () => {
      const { liveUrl, first } = await start();
      const client = await connectSocket(liveUrl);
      await vi.waitFor(() => first(), patience);
      client.cut();
      await vi.waitFor(() => {
        expect(first().closes).toBe(1);
      }, patience);
    });

    it("ends a connection whose frame is too large", async () => {
      const { liveUrl, first } = await start();
      const client = await connectSocket(liveUrl);
      client.ws.send("x".repeat(2_000));
      await client.closed;
      expect(first().messages).toEqual([]);
    });

    it("drops a peer that answers no ping, and keeps one that does", async () => {
      const { liveUrl, served } = await start({ idleTimeoutSeconds: 8 });
      const silent = await connectSocket(liveUrl, { autoPong: false });
      const quiet = await connectSocket(liveUrl);
      await silent.closed;
      await vi.waitFor(() => {
        expect(served.map(({ closes }) => closes)).toEqual([1, 0]);
      }, patience);
      expect(quiet.ws.readyState).toBe(quiet.ws.OPEN);
    });

    it("does not share a port", async () => {
      const { server } = await start();
      await expect(start({ port: server.port })).rejects.toThrow();
    });

    it("closes its clients when it stops", async () => {
      const { server, liveUrl } = await start();
      const client = await connectSocket(liveUrl);
      await Promise.all([server.close(), server.close()]);
      expect((await client.closed).code).toBe(1001);
      await expect(connectSocket(liveUrl)).rejects.toThrow();
    });
  });
};
