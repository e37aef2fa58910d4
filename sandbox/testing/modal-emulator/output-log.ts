/** All that a process has printed on one stream, readable from any offset while it is still printing. */
import { EventEmitter, once } from "node:events";
import type { Readable } from "node:stream";

export interface OutputLog {
  /** What is there after `offset`, then what comes, until the stream ends. */
  readFrom(offset: number, signal: AbortSignal): AsyncGenerator<Buffer>;
}

export const outputLog = (stream: Readable): OutputLog => {
  let bytes = Buffer.alloc(0);
  let ended = false;
  const changes = new EventEmitter();
  changes.setMaxListeners(0);
  stream.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    changes.emit("change");
  });
  stream.once("close", () => {
    ended = true;
    changes.emit("change");
  });
  return {
    readFrom: async function* (from, signal) {
      for (let offset = from; ;) {
        if (offset < bytes.length) {
          const chunk = bytes.subarray(offset, offset + largestChunk);
          offset += chunk.length;
          yield chunk;
        } else if (ended) {
          return;
        } else {
          await once(changes, "change", { signal });
        }
      }
    },
  };
};

const largestChunk = 64 * 1024;
