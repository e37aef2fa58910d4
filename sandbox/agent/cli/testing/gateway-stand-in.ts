/** Stands in for the gateway: answers one request after the other as the test says, and keeps what was asked. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** `drop` closes the connection without an answer. The last reply repeats. */
export type StandInReply = { readonly status: number; readonly body: unknown } | "drop";

export interface GatewayStandIn {
  readonly url: string;
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly authorization: string | undefined;
    readonly body: unknown;
  }[];
  close(): Promise<void>;
}

export const startGatewayStandIn = async (
  replies: readonly StandInReply[],
): Promise<GatewayStandIn> => {
  const requests: GatewayStandIn["requests"][number][] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const reply = replies[Math.min(requests.length, replies.length - 1)];
      requests.push({
        method: request.method ?? "",
        path: request.url ?? "",
        authorization: request.headers.authorization,
        body: body === "" ? undefined : JSON.parse(body),
      });
      if (reply === undefined || reply === "drop") {
        request.socket.destroy();
        return;
      }
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
