/** A server stream of the Connect protocol: frames of one flag byte, a length and JSON. */
import type { ServerResponse } from "node:http";
import type { ConnectFailure } from "../reply.ts";

/** Bit of the flag byte that marks the last frame, which holds the error if there was one. */
const endOfStream = 0b10;

export interface EventStream {
  send(message: unknown): void;
  end(error?: ConnectFailure): void;
  /** Called once when the client has gone before the end. */
  onGone(listener: () => void): void;
}

/** The JSON of the only frame of a request. */
export const readRequestFrame = (body: Buffer): unknown => {
  const length = body.readUInt32BE(1);
  return JSON.parse(body.subarray(5, 5 + length).toString("utf8"));
};

/** @param cutAfter breaks the connection after this many messages */
export const openEventStream = (
  response: ServerResponse,
  cutAfter = Number.POSITIVE_INFINITY,
): EventStream => {
  response.writeHead(200, { "content-type": "application/connect+json" });
  let sent = 0;
  return {
    send: (message) => {
      sent += 1;
      const cut = sent >= cutAfter;
      response.write(frame(0, message), () => {
        if (cut) response.destroy();
      });
    },
    end: (error) => {
      const trailer = error ? { error: { code: error.code, message: error.message } } : {};
      response.end(frame(endOfStream, trailer));
    },
    onGone: (listener) => response.once("close", listener),
  };
};

const frame = (flags: number, message: unknown): Buffer => {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
};
