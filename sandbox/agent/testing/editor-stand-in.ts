/**
 * Stands in for code-server, as far as a proxy sees it: listens on the socket that its command line names,
 * answers with addresses relative to wherever it is reached, and opens WebSockets. Its answers tell what has
 * arrived. `/end` makes it fail.
 */
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { WebSocketServer } from "ws";

const { values, positionals } = parseArgs({
  strict: false,
  allowPositionals: true,
  options: {
    ...{ socket: { type: "string" }, "socket-mode": { type: "string" }, auth: { type: "string" } },
    ...{ config: { type: "string" }, "user-data-dir": { type: "string" } },
    "extensions-dir": { type: "string" },
  },
});

const server = createServer((request, response) => {
  if (request.url === "/end") process.exit(1);
  if (request.url === "/") {
    response.writeHead(302, { location: `./?folder=${positionals[0] ?? ""}` }).end();
    return;
  }
  const { url, method, headers } = request;
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("utf8");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ pid: process.pid, url, method, headers, body }));
  });
});
const sockets = new WebSocketServer({ server });
sockets.on("connection", (socket, { url, headers }) => {
  socket.send(JSON.stringify({ url, headers }));
  socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
});
server.listen(values["socket"] as string);
