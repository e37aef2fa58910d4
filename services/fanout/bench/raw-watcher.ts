/**
 * A watcher that costs little: it reads WebSocket frames (RFC 6455, 5.2) off a plain socket, looks at the
 * sequence number of each and at nothing else. Thousands of them have to be faster than what they measure.
 */
import { connect, type Socket } from "node:net";

const upgrade = (path: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
    "\r\n",
  ].join("\r\n");

const endOfHead = "\r\n\r\n";
const seqMark = Buffer.from('"seq":');
const resumedMark = Buffer.from('{"type":"resumed"');

export interface RawWatcherListener {
  /** Called with each live frame's JSON, if it is wanted. */
  readonly onLive?: (json: Buffer) => void;
  /** Called when something came. */
  readonly onData: () => void;
}

export class RawWatcher {
  /** The newest sequence number that it was told of; null before the first frame. */
  seq: number | null = null;
  /** Frames of the session, without the first one of each connection. */
  live = 0;
  /** Whether a frame was older than one before it, or the connection ended or began anew by itself. */
  broken = false;
  readonly #listener: RawWatcherListener;
  #socket: Socket | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #upgraded = false;
  #welcomed = false;

  constructor(listener: RawWatcherListener) {
    this.#listener = listener;
  }

  /** Whether the first frame of this connection has come. */
  get welcomed(): boolean {
    return this.#welcomed;
  }

  open(port: number, path: string): void {
    this.#rest = Buffer.alloc(0);
    this.#upgraded = false;
    this.#welcomed = false;
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (data) => {
      this.#read(data);
    });
    socket.on("error", () => {
      this.broken = true;
    });
    socket.on("close", () => {
      this.broken ||= this.#socket === socket;
      this.#listener.onData();
    });
    socket.write(upgrade(path));
    this.#socket = socket;
  }

  /** Cuts the connection without a goodbye. */
  cut(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.destroy();
  }

  #read(data: Buffer): void {
    let rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    if (!this.#upgraded) {
      const end = rest.indexOf(endOfHead);
      this.#upgraded = end !== -1;
      rest = this.#upgraded ? rest.subarray(end + endOfHead.length) : rest;
    }
    this.#rest = this.#upgraded ? this.#readFrames(rest) : rest;
    this.#listener.onData();
  }

  /** Takes all whole frames; answers what is left. */
  #readFrames(data: Buffer): Buffer {
    let at = 0;
    while (data.length - at >= 2) {
      const short = (data[at + 1] ?? 0) & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (data.length - at < head) break;
      const length =
        short < 126
          ? short
          : short === 126
            ? data.readUInt16BE(at + 2)
            : Number(data.readBigUInt64BE(at + 2));
      if (data.length - at < head + length) break;
      const isText = ((data[at] ?? 0) & 0x0f) === 1;
      if (isText) this.#take(data.subarray(at + head, at + head + length));
      at += head + length;
    }
    return data.subarray(at);
  }

  #take(json: Buffer): void {
    const seq = seqOf(json);
    if (this.seq !== null) {
      this.broken ||= this.#welcomed ? seq <= this.seq : json.indexOf(resumedMark) !== 0;
    }
    this.seq = seq;
    if (this.#welcomed) {
      this.live += 1;
      this.#listener.onLive?.(json);
    }
    this.#welcomed = true;
  }
}

/** The number in `{"type":"…","seq":123,…`. */
const seqOf = (json: Buffer): number => {
  let at = json.indexOf(seqMark) + seqMark.length;
  let seq = 0;
  for (let digit = (json[at] ?? 0) - 48; digit >= 0 && digit <= 9; digit = (json[at] ?? 0) - 48) {
    seq = seq * 10 + digit;
    at += 1;
  }
  return seq;
};
