/**
 * A terminal over a WebSocket. Text frames are keystrokes one way and output the other, except for a client's
 * `{"type":"resize","cols":120,"rows":40}`. A binary frame is keystrokes, whatever is in it.
 */
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { parse } from "../sidecar/api.ts";
import type { OpenWebSocket } from "../sidecar/server.ts";
import type { Terminal } from "./terminal.ts";
import type { Terminals } from "./terminals.ts";

/** Why a socket was closed, beside those of RFC 6455. */
export const terminalCloseCodes = {
  /** The shell has ended; the reason is its exit code or signal. */
  ended: 4000,
  /** No terminal could be opened; the reason is an error's code. */
  refused: 4001,
} as const;

const columns = z.coerce.number().int().min(1).max(1_000);
const rows = z.coerce.number().int().min(1).max(1_000);

const querySchema = z.object({
  name: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .default("main"),
  cols: columns.default(80),
  rows: rows.default(24),
});

const resizeSchema = z.strictObject({ type: z.literal("resize"), cols: columns, rows });

/** Keystrokes in one frame, in bytes; a larger one closes the socket (1009). */
const maxFrameBytes = 1024 * 1024;
/** A client that does not answer a ping by the next one has gone. */
const pingMs = 30_000;
/** How long a client may take to answer that the sidecar ends. */
const farewellMs = 1_000;

export interface TerminalSockets {
  readonly open: OpenWebSocket;
  close(): void;
}

export const terminalSockets = (terminals: Terminals): TerminalSockets => {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes });
  return {
    // The socket is opened first and refused over it: a browser cannot read an HTTP refusal.
    open: (request, socket, head, query) => {
      const wanted = parse(querySchema, query);
      const size = { columns: wanted.cols, rows: wanted.rows };
      server.handleUpgrade(request, socket, head, (client) => {
        // Keystrokes that come before the shell is there are kept.
        client.pause();
        terminals.open(wanted.name, size).then(
          (terminal) => connect(client, terminal),
          (error: unknown) => {
            const code = error instanceof DomainError ? error.code : "internal";
            client.resume(); // Closing takes an answer.
            client.close(terminalCloseCodes.refused, code);
          },
        );
      });
    },
    close: () => {
      for (const client of server.clients) {
        client.close(1001, "The sidecar is ending.");
        setTimeout(() => client.terminate(), farewellMs).unref();
      }
      terminals.close();
    },
  };
};

const connect = (client: WebSocket, terminal: Terminal): void => {
  const leave = terminal.join({
    show: (text, taken) => client.send(text, { binary: false }, taken),
    end: ({ exitCode, signal }) =>
      client.close(
        terminalCloseCodes.ended,
        signal === 0 ? `exit ${exitCode}` : `signal ${signal}`,
      ),
  });
  const stopPinging = keepAlive(client);
  client.on("message", (data, isBinary) => receive(terminal, textOf(data), isBinary));
  // The close that follows says all that matters.
  client.on("error", () => undefined);
  client.once("close", () => {
    stopPinging();
    leave();
  });
  client.resume();
};

const receive = (terminal: Terminal, text: string, isBinary: boolean): void => {
  const resize = isBinary ? null : parseResize(text);
  if (resize === null) terminal.type(text);
  else terminal.resize(resize.cols, resize.rows);
};

const parseResize = (text: string): z.infer<typeof resizeSchema> | null => {
  if (!text.startsWith("{")) return null;
  try {
    return resizeSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // Somebody types a brace.
  }
};

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString("utf8");

const keepAlive = (client: WebSocket): (() => void) => {
  let isThere = true;
  client.on("pong", () => {
    isThere = true;
  });
  const timer = setInterval(() => {
    if (!isThere) client.terminate();
    isThere = false;
    client.ping();
  }, pingMs);
  return () => clearInterval(timer);
};
