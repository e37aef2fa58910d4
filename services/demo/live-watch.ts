/** Watches a session as a browser does, and lets the demo wait for what it sees. */
import WebSocket from "ws";
import { openLiveChannel } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import type { LiveMessage, ServerFrame } from "#contracts/live/messages";
import type { Client } from "../client/client.ts";
import { watchSession } from "../client/watch-session.ts";

/** Nothing in the demo takes longer than this, in milliseconds. */
const patienceMs = 90_000;

export interface LiveWatch {
  /** The first message, past or to come, that the test accepts. */
  waitFor<T extends LiveMessage>(wanted: (message: LiveMessage) => message is T): Promise<T>;
  /** The first frame of the connection. */
  readonly init: Promise<Extract<ServerFrame, { type: "init" }>>;
  /** Tokens that have arrived. */
  tokens(): number;
  close(): void;
}

export const openLiveWatch = (
  client: Client,
  sessionId: SessionId,
  onMessage: (message: LiveMessage) => void,
): LiveWatch => {
  const messages: LiveMessage[] = [];
  const waiting = new Set<(message: LiveMessage) => void>();
  let resolveInit: (frame: Extract<ServerFrame, { type: "init" }>) => void = () => undefined;
  let tokens = 0;
  const init = new Promise<Extract<ServerFrame, { type: "init" }>>((resolve) => {
    resolveInit = resolve;
  });
  const watch = watchSession({
    openSocket: async () => (await client.call(openLiveChannel, { params: { sessionId } })).url,
    WebSocket,
    onFrame: (frame) => {
      if (frame.type === "init") {
        resolveInit(frame);
      }
      if (frame.type !== "live") {
        return;
      }
      messages.push(frame.message);
      if (frame.message.type === "token") {
        tokens += 1;
      }
      onMessage(frame.message);
      for (const look of waiting) {
        look(frame.message);
      }
    },
  });
  return {
    init,
    tokens: () => tokens,
    waitFor: <T extends LiveMessage>(wanted: (message: LiveMessage) => message is T) =>
      new Promise<T>((resolve, reject) => {
        const past = messages.find(wanted);
        if (past) {
          resolve(past);
          return;
        }
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`Nothing of the kind was seen within ${patienceMs / 1_000} s.`));
        }, patienceMs);
        const look = (message: LiveMessage): void => {
          if (wanted(message)) {
            clearTimeout(timer);
            waiting.delete(look);
            resolve(message);
          }
        };
        waiting.add(look);
      }),
    close: () => watch.close(),
  };
};
