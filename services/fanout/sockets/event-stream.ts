import { PassThrough, type Readable } from "node:stream";
import type { EncodedFrame } from "../frame.ts";
import type { Socket } from "./socket-server.ts";

/** Comments in between, so that nobody on the way takes the silence for the end. Milliseconds. */
const heartbeatMs = 15_000;
/** How soon a browser comes back, in milliseconds. */
const retryMs = 1_000;

/**
 * The sending half of a live client as server-sent events (WHATWG HTML, 9.2): each frame is one event, whose
 * id is the frame's `seq`, so that a browser resumes by itself. A connection that is ended from here is
 * told why in an event `close`, whose data are the code and reason that a WebSocket would be closed with.
 */
export class EventStreamSocket implements Socket {
  readonly #stream = new PassThrough();
  readonly #heartbeat: NodeJS.Timeout;

  /** @param onClose called once, when the stream has ended or its reader has gone */
  constructor(onClose: () => void) {
    this.#stream.write(`retry: ${retryMs}\n\n`);
    this.#heartbeat = setInterval(() => this.#stream.write(": alive\n\n"), heartbeatMs);
    this.#stream.once("close", () => {
      clearInterval(this.#heartbeat);
      onClose();
    });
    // Its reader has gone, and `close` follows.
    this.#stream.on("error", () => undefined);
  }

  get readable(): Readable {
    return this.#stream;
  }

  send(frames: readonly EncodedFrame[]): boolean {
    if (!this.#stream.writable) return false;
    for (const { seq, data } of frames) {
      const id = seq === null ? "" : `id: ${seq}\n`;
      this.#stream.write(`${id}data: ${data.toString("utf8")}\n\n`);
    }
    return true;
  }

  bufferedBytes(): number {
    return this.#stream.destroyed ? 0 : this.#stream.writableLength + this.#stream.readableLength;
  }

  close(code: number, reason: string): void {
    if (!this.#stream.writable) return;
    clearInterval(this.#heartbeat);
    this.#stream.end(`event: close\ndata: ${JSON.stringify({ code, reason })}\n\n`);
  }
}
