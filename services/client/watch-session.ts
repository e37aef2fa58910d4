/**
 * Follows a session's live channel for as long as it is wanted, over as many connections as that
 * takes. Each connection has a new ticket and names the last frame that was seen, so nothing is told
 * twice and nothing is missed: either the stream goes on, or a new `init` frame replaces everything.
 */
import { type ClientFrame, liveProtocol } from "#contracts/live/client-frames";
import { type ServerFrame, closeCodes } from "#contracts/live/messages";
import { type LiveSocketClass, followSocket } from "./live-socket.ts";
import { ProblemError, isProblemError } from "./problem-error.ts";
import { reconnectDelay } from "./reconnect-delay.ts";

export type WatchState =
  | { readonly status: "connecting" }
  /** Frames come. */
  | { readonly status: "live" }
  /** The connection broke; another one is tried after `retryInMs`. */
  | { readonly status: "waiting"; readonly attempt: number; readonly retryInMs: number }
  /** No more connections: closed by the caller (error null), or for a reason that stays. */
  | { readonly status: "closed"; readonly error: ProblemError | null };

export interface WatchOptions {
  /** Asks for a URL with a new ticket, for instance through the route `openLiveChannel`. */
  readonly openSocket: () => Promise<string>;
  readonly onFrame: (frame: ServerFrame) => void;
  /** Whether to be told who else is there. */
  readonly presence?: boolean;
  readonly onState?: (state: WatchState) => void;
  /** The global one unless given; Node 20 has none. */
  readonly WebSocket?: LiveSocketClass;
  /** A connection that is silent for twice this long counts as broken; 20 s unless told. */
  readonly pingEveryMs?: number;
  readonly reconnectDelayMs?: (attempt: number) => number;
}

export interface Watch {
  /**
   * Says something on the connection; false while there is none. What was requested is answered by a frame
   * of the same `requestId`, unless the connection breaks first: then send it again.
   */
  send(frame: ClientFrame): boolean;
  /** Ends the watching; no frame comes after this. */
  close(): void;
}

/** Problems that another attempt does not mend. */
const isFinal = (error: unknown): error is ProblemError =>
  isProblemError(error) && [401, 403].includes(error.status);

/**
 * How often in a row a session may be said not to be there. Who watches it in the moment of its creation may
 * ask before every part of the server has heard of it; the waits between so many attempts are 4 to 8 s together.
 */
const maxAbsences = 6;

export const watchSession = (options: WatchOptions): Watch => {
  const { pingEveryMs = 20_000, onState = () => undefined } = options;
  const delayOf = options.reconnectDelayMs ?? ((attempt) => reconnectDelay(attempt, Math.random()));
  let lastSeq: number | null = null;
  let attempt = 0;
  let absences = 0;
  let closed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let socket: ReturnType<typeof followSocket> | undefined;

  const end = (error: ProblemError | null) => {
    if (closed) return;
    closed = true;
    clearTimeout(retry);
    socket?.drop();
    onState({ status: "closed", error });
  };

  const tryAgain = () => {
    if (closed) return;
    attempt += 1;
    const retryInMs = delayOf(attempt);
    onState({ status: "waiting", attempt, retryInMs });
    retry = setTimeout(() => void connect(), retryInMs);
  };

  const absent = (error: ProblemError) => {
    absences += 1;
    if (absences >= maxAbsences) end(error);
    else tryAgain();
  };

  const take = (frame: ServerFrame) => {
    if (frame.type === "init" || frame.type === "resumed") {
      attempt = 0;
      absences = 0;
      onState({ status: "live" });
    }
    if (frame.type === "live") {
      if (lastSeq !== null && frame.seq <= lastSeq) return;
      lastSeq = frame.seq;
    }
    // An init replaces everything, also the count: the channel may have begun anew.
    if (frame.type === "init") lastSeq = frame.seq;
    if (frame.type !== "pong") options.onFrame(frame);
  };

  const connect = async () => {
    onState({ status: "connecting" });
    try {
      const url = await options.openSocket();
      if (closed) return;
      const Socket: LiveSocketClass = options.WebSocket ?? globalThis.WebSocket;
      socket = followSocket(new Socket(watchUrl(url, options, lastSeq)), pingEveryMs, {
        frame: take,
        broken: (code) => {
          if (code === closeCodes.notFound) absent(sessionAbsent());
          else if (code === closeCodes.protocolUnsupported) end(protocolUnsupported());
          else tryAgain();
        },
      });
    } catch (error) {
      if (isFinal(error)) end(error);
      else if (isProblemError(error) && error.status === 404) absent(error);
      else tryAgain();
    }
  };

  void connect();
  return { send: (frame) => socket?.send(frame) ?? false, close: () => end(null) };
};

const sessionAbsent = (): ProblemError =>
  new ProblemError({
    code: "session_not_found",
    status: 404,
    detail: "The session does not exist.",
  });

const protocolUnsupported = (): ProblemError =>
  new ProblemError({
    code: "protocol_unsupported",
    status: 426,
    detail: "The server speaks another version. Load the page again, or update the client.",
  });

const watchUrl = (
  url: string,
  { presence = false }: WatchOptions,
  lastSeq: number | null,
): string => {
  const watched = new URL(url);
  watched.searchParams.set("protocol", String(liveProtocol));
  if (presence) watched.searchParams.set("presence", "1");
  if (lastSeq !== null) watched.searchParams.set("lastSeq", String(lastSeq));
  return watched.href;
};
