/**
 * Stands between a client and a server, and cuts their connection where a test wants it: with what
 * was just sent delivered before, or lost. The client may come again, and finds the server wherever it
 * is then.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Direction = "to_server" | "to_client";

/** What to do with a piece that passes; `lost` and `delivered` both end the connection. */
export type Verdict = "pass" | "lost" | "delivered";

export interface CuttingProxy extends AsyncDisposable {
  /** For `connectToNats`. */
  readonly url: string;
  /** Looks at each piece that passes, in both directions. */
  judge: (direction: Direction, piece: Buffer) => Verdict;
  /** Where the server is; a new connection goes there. */
  target: string;
  /** While it resolves to nothing, new connections wait. */
  gate: Promise<void>;
}

/** Opens a proxy to the server at this URL, the first of several, that lets everything pass. */
export const openCuttingProxy = async (target: string): Promise<CuttingProxy> => {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.once("close", () => open.delete(client));
    // The other side sees the end of the connection; why it ended is not what is tested.
    client.on("error", () => client.destroy());
    void proxy.gate.then(() => join(client));
  });
  const join = (client: Socket): void => {
    const { hostname, port } = firstOf(proxy.target);
    const upstream = connect(Number(port), hostname);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const forward = (direction: Direction, from: Socket, to: Socket): void => {
      from.on("data", (piece: Buffer) => {
        if (from.destroyed) return;
        const verdict = proxy.judge(direction, piece);
        if (verdict === "pass") {
          to.write(piece);
        } else if (verdict === "delivered") {
          to.write(piece, cut);
        } else {
          cut();
        }
      });
      from.once("close", cut);
    };
    upstream.on("error", cut);
    forward("to_server", client, upstream);
    forward("to_client", upstream, client);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = firstOf(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  const proxy: CuttingProxy = {
    url: url.href,
    judge: () => "pass",
    target,
    gate: Promise.resolve(),
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, "close");
    },
  };
  return proxy;
};

const firstOf = (urls: string): URL => new URL(urls.split(",")[0] ?? urls);
