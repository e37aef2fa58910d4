/** Passes what is asked below `/vscode` on to the editor, requests and WebSockets. */
import { type IncomingMessage, request as ask, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DomainError } from "#contracts/errors";
import type { Mount } from "../sidecar/server.ts";
import type { Editor } from "./editor.ts";

/** What the sidecar's path of the editor begins with. */
export const editorPath = "/vscode";

/** The sidecar's own: its token, and what holds for one connection only (RFC 9110, 7.6.1). */
const ours = new Set(["authorization", "connection", "keep-alive", "upgrade", "te", "trailer"]);

export interface EditorProxy extends Mount {
  /** Ends the WebSockets, which no server's end does. */
  close(): void;
}

export const editorProxy = (editor: Editor): EditorProxy => {
  const sockets = new Set<Duplex>();
  return {
    answer: async (request, response) => {
      const leave = editor.use();
      try {
        await passRequest(await editor.ready(), request, response);
      } finally {
        leave();
      }
    },
    open: async (request, socket, head) => {
      const leave = editor.use();
      sockets.add(socket);
      try {
        await passSocket(await editor.ready(), request, { socket, head });
      } finally {
        sockets.delete(socket);
        leave();
      }
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
};

const passRequest = async (
  socketPath: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const headers = Object.entries(request.headers).filter(([name]) => !ours.has(name));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = ask({
      ...{ socketPath, method: request.method, path: pathOf(request), signal: gone.signal },
      headers: Object.fromEntries(headers),
      agent: false,
    });
    asked.once("response", resolve);
    asked.on("error", (error) => reject(unavailable(error)));
    // Whatever breaks here also breaks the request, which tells of it.
    pipeline(request, asked).catch((error: Error) => asked.destroy(error));
  });
  const passed = Object.entries(answer.headers).filter(([name]) => !ours.has(name));
  response.writeHead(answer.statusCode ?? 502, Object.fromEntries(passed));
  // The client or the editor has gone: either way nothing is left to be answered.
  await pipeline(answer, response).catch(() => response.destroy());
};

/** The opening as it came, and then the bytes of both sides unread; the editor answers it or refuses. */
const passSocket = async (
  socketPath: string,
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): Promise<void> => {
  const upstream = connect(socketPath);
  await new Promise<void>((resolve, reject) => {
    upstream.once("connect", resolve);
    upstream.once("error", (error) => reject(unavailable(error)));
  });
  const lines = [`GET ${pathOf(request)} HTTP/1.1`];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [name = "", value = ""] = request.rawHeaders.slice(index, index + 2);
    if (name.toLowerCase() !== "authorization") lines.push(`${name}: ${value}`);
  }
  upstream.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  upstream.write(head);
  // One side has gone, and takes the other with it: that is how such a connection ends.
  await Promise.all([pipeline(socket, upstream), pipeline(upstream, socket)]).catch(() => {
    socket.destroy();
    upstream.destroy();
  });
};

const pathOf = ({ url = "" }: IncomingMessage): string => url.slice(editorPath.length);

const unavailable = (cause: Error): DomainError =>
  new DomainError("editor_unavailable", "VS Code has ended. Try again.", { cause });
