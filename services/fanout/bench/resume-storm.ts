/** 2,000 watchers whose connections break at the same moment, while the sessions go on. */
import type { EventStore } from "#event-store/event-store";
import { startWorker } from "#infra/bench/worker-process";
import { newBenchSessions, publishToken, ticketOf } from "./bench-sessions.ts";
import type { TierCommands } from "./tier-process.ts";
import type { WatchersCommands } from "./watchers-process.ts";

const sessions = 20;
const perSession = 100;
const tokens = { before: 100, missed: 50 };

/** Seconds until each of them has every frame that it missed; a gap or a repetition throws. */
export const measureResumeStorm = async (
  store: EventStore,
  natsUrl: string,
): Promise<{ readonly resumeStormSeconds: number }> => {
  const tier = startWorker<TierCommands>(new URL("./tier-process.ts", import.meta.url));
  const watchers = startWorker<WatchersCommands>(new URL("./watchers-process.ts", import.meta.url));
  try {
    const watched = newBenchSessions(sessions);
    const publish = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        await Promise.all(watched.map((session) => publishToken(store, session, `w${index}`)));
      }
    };
    const port = await tier.call("start", natsUrl, 0);
    await watchers.call(
      "connect",
      port,
      await Promise.all(watched.map(ticketOf)),
      perSession,
      false,
    );
    const received = watchers.call("untilEachHas", tokens.before);
    await publish(tokens.before);
    await received;
    await watchers.call("cut");
    await publish(tokens.missed);
    const seconds = await watchers.call("resume", port, tokens.before + tokens.missed);
    return { resumeStormSeconds: Number(seconds.toFixed(2)) };
  } finally {
    await Promise.all([tier.stop(), watchers.stop()]);
  }
};
