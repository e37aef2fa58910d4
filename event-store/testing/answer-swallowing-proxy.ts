/** A network between a client and a NATS server that can lose one answer, together with its connection. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface AnswerSwallowingProxy {
  readonly url: string;
  /** Lets the next request that contains the text through, and loses the answer to it. */
  swallowAnswerTo(text: string): void;
  /** How many answers were lost. */
  swallowed(): number;
  close(): Promise<void>;
}

/** Stands before the server at this URL, the first of several. */
export const startAnswerSwallowingProxy = async (
  target: string,
): Promise<AnswerSwallowingProxy> => {
  const url = new URL(target.split(",")[0] ?? target);
  const { port, hostname } = url;
  let wanted: string | null = null;
  let swallowed = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let losing = false;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      // Either end may break at any time; the client connects anew.
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (data) => {
      if (wanted !== null && data.includes(wanted)) {
        wanted = null;
        losing = true;
      }
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (!losing) {
        client.write(data);
      } else if (data.includes('"seq"')) {
        // The acknowledgement: the message is stored, and nobody will know.
        swallowed += 1;
        client.destroy();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    swallowAnswerTo: (text) => {
      wanted = text;
    },
    swallowed: () => swallowed,
    close: async () => {
      server.close();
      sockets.forEach((socket) => socket.destroy());
      await once(server, "close");
    },
  };
};
