/** What the tier is compared with: the package `ws`, which sends each message to each client as its manual says. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { connectToNats } from "#event-store/connection";
import { openEventStore } from "#event-store/event-store";
import { type LiveKey, openLiveFeed } from "#event-store/live/live-channel";
import { serveCommands, usageOfThisProcess } from "#infra/bench/worker-process";

const commands = {
  /** Serves one session to everybody who connects; answers the port. */
  start: async (natsUrl: string, key: LiveKey): Promise<number> => {
    const connection = await connectToNats({ url: natsUrl, name: "bench-ws" });
    const store = await openEventStore({ connection, durability: "relaxed" });
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    server.on("connection", (socket) => {
      socket.send('{"type":"resumed","seq":0}');
    });
    await once(server, "listening");
    void (async () => {
      const { signal } = new AbortController();
      for await (const { seq, message } of openLiveFeed(store, { ...key, signal })) {
        const text = JSON.stringify({ type: "live", seq, message });
        for (const client of server.clients) client.send(text);
      }
    })();
    return (server.address() as AddressInfo).port;
  },
  usage: usageOfThisProcess,
};
export type PlainWsCommands = typeof commands;

serveCommands(commands);
