/** A real HTTP server of a test, which keeps what it was asked and answers as the test says. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface LocalServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** Everything that came, oldest first. */
  readonly asked: Asked[];
  /** How the next requests are answered. */
  answer(handler: AnswerHandler): void;
  close(): Promise<void>;
}

export type AnswerHandler = (asked: Asked, response: ServerResponse) => void;

/** Answers 404 until it is told otherwise. */
export const startLocalServer = async (): Promise<LocalServer> => {
  const asked: Asked[] = [];
  let handler: AnswerHandler = (_, response) => void response.writeHead(404).end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one: Asked = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      asked.push(one);
      handler(one, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    answer: (next) => {
      handler = next;
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/** Answers with JSON. */
export const json = (
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};
