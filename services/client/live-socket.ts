/** One WebSocket connection to the live channel, from its opening to its end. */
import type { ClientFrame } from "#contracts/live/client-frames";
import { type ServerFrame, serverFrameSchema } from "#contracts/live/messages";

/** The part of the browser's WebSocket that is used; that of the package `ws` has it, too. */
export interface LiveSocket {
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number }) => void): void;
  send(data: string): void;
  close(code?: number): void;
}
export type LiveSocketClass = new (url: string) => LiveSocket;

interface SocketListener {
  readonly frame: (frame: ServerFrame) => void;
  /** Called once, unless the socket was dropped. */
  readonly broken: (code: number | null) => void;
}

interface FollowedSocket {
  /** Ends it; nothing is told of it any more. */
  drop(): void;
  /** False unless it is open. */
  send(frame: ClientFrame): boolean;
}

/**
 * Listens to one socket until it breaks. A socket on which nothing comes, not even the answer to a
 * ping, is broken although nobody said so.
 */
export const followSocket = (
  socket: LiveSocket,
  pingEveryMs: number,
  listener: SocketListener,
): FollowedSocket => {
  let over = false;
  let heard = true;
  const stop = (): boolean => {
    if (over) return false;
    over = true;
    clearInterval(heartbeat);
    socket.close(1000);
    return true;
  };
  const breakOff = (code: number | null) => {
    if (stop()) listener.broken(code);
  };
  let open = false;
  const heartbeat = setInterval(() => {
    if (!heard) return breakOff(null);
    heard = false;
    if (open) socket.send(JSON.stringify({ type: "ping" }));
  }, pingEveryMs);

  socket.addEventListener("open", () => {
    open = true;
    heard = true;
  });
  socket.addEventListener("message", ({ data }) => {
    if (over) return;
    heard = true;
    const frame = frameOf(data);
    // Else a frame of a newer server that this client does not know; what it knows goes on.
    if (frame) listener.frame(frame);
  });
  socket.addEventListener("close", ({ code }) => breakOff(code));
  // Nothing to do: a close event follows, or the heartbeat finds out. But somebody has to listen.
  socket.addEventListener("error", () => undefined);
  return {
    drop: () => void stop(),
    send: (frame) => {
      if (open && !over) socket.send(JSON.stringify(frame));
      return open && !over;
    },
  };
};

const frameOf = (data: unknown): ServerFrame | null => {
  if (typeof data !== "string") return null;
  try {
    return serverFrameSchema.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    // Not JSON, so not a frame.
    return null;
  }
};
