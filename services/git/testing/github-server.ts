/**
 * Stands in for GitHub on a port of its own: git's own HTTP server over a bare repository, `acme/shop`,
 * which lets in who has the token, and the API's routes for pull requests.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface GithubServer {
  /** `http://127.0.0.1:<port>`, of the API and of the repositories. */
  readonly url: string;
  /** Pull requests as they were asked for. */
  readonly pulls: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

/** @param folder with the bare repository `acme/shop.git` in it */
export const startGithubServer = async (folder: string, token: string): Promise<GithubServer> => {
  const pulls: Record<string, unknown>[] = [];
  const basic = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
    if (pathname.startsWith("/acme/shop.git/")) {
      if (request.headers.authorization === basic) {
        serveGit(folder, { request, response, pathname, search });
      } else {
        response.writeHead(401, { "www-authenticate": "Basic realm=git" }).end();
      }
    } else if (pathname === "/repos/acme/shop/pulls" && request.method === "GET") {
      json(response, 200, pulls.map(withNumber));
    } else if (pathname === "/repos/acme/shop/pulls") {
      pulls.push(JSON.parse(await text(request)) as Record<string, unknown>);
      json(response, 201, withNumber(pulls.at(-1) ?? {}, pulls.length - 1));
    } else {
      json(response, 404, { message: "Not Found" });
    }
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pulls,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const withNumber = (pull: Readonly<Record<string, unknown>>, index: number) => ({
  ...pull,
  number: index + 1,
  html_url: `https://github.example/acme/shop/pull/${index + 1}`,
});

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

interface GitExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pathname: string;
  readonly search: string;
}

/** One request as a CGI call of `git http-backend` (RFC 3875). */
const serveGit = (folder: string, { request, response, pathname, search }: GitExchange): void => {
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: "tester",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin);
  // A backend that has answered early reads no more.
  child.stdin.on("error", () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.once("close", () => {
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf("\r\n\r\n");
    const headers = answer
      .subarray(0, end)
      .toString("latin1")
      .split("\r\n")
      .map((line) => line.split(/: */, 2) as [string, string]);
    const status = headers.find(([name]) => name.toLowerCase() === "status")?.[1] ?? "200";
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers));
    response.end(answer.subarray(end + 4));
  });
};
