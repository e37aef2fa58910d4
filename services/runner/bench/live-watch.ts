/** What runners tell live, of all sessions: read off the log's own connection, without a tier between. */
import type { EventStore } from "#event-store/event-store";
import type { LiveMessage } from "#contracts/live/messages";
import { lagOf } from "./stamps.ts";

export interface LiveAnswer {
  /** What was streamed of it, token by token. */
  readonly streamed: string;
  /** What it was as a whole. */
  readonly whole: string;
  /** How late each of its stamped tokens was, in milliseconds. */
  readonly lags: readonly number[];
}

export interface LiveWatch {
  /** The last answer of each session that has come to its end. */
  readonly answers: ReadonlyMap<string, LiveAnswer>;
  /** Forgets the answers, and resolves when there are so many again. @throws Error after ten minutes */
  untilAnswered(count: number): Promise<void>;
}

const patienceMs = 600_000;

export const watchLive = ({ connection }: EventStore): LiveWatch => {
  const answers = new Map<string, LiveAnswer>();
  const streaming = new Map<string, { text: string; readonly lags: number[] }>();
  let answered: () => void = () => undefined;

  const take = (session: string, message: LiveMessage): void => {
    const present = streaming.get(session) ?? { text: "", lags: [] };
    if (message.type === "token") {
      const lag = lagOf(message.delta);
      if (lag === null) return;
      present.lags.push(lag);
      present.text += message.delta;
      streaming.set(session, present);
    }
    if (message.type !== "message" || message.message.role !== "assistant") return;
    if (message.message.finish !== "stop") return;
    const last = message.message.parts.findLast((part) => part.kind === "text");
    const { text: streamed, lags } = present;
    answers.set(session, { streamed, whole: last?.text ?? "", lags });
    streaming.delete(session);
    answered();
  };

  connection.subscribe("live.>", {
    callback: (error, received) => {
      if (error) throw error;
      take(received.subject.split(".")[2] ?? "", received.json<LiveMessage>());
    },
  });
  return {
    answers,
    untilAnswered: async (count) => {
      answers.clear();
      const late = AbortSignal.timeout(patienceMs);
      await new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (answers.size >= count) resolve();
        };
        answered = look;
        late.addEventListener("abort", () => {
          reject(new Error(`Only ${answers.size} of ${count} sessions were answered.`));
        });
      });
    },
  };
};
