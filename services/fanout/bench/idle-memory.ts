/** What a connection takes that is there and told nothing. */
import { startWorker } from "#infra/bench/worker-process";
import { newBenchSessions, ticketOf } from "./bench-sessions.ts";
import type { TierCommands } from "./tier-process.ts";
import type { WatchersCommands } from "./watchers-process.ts";

const sessions = 100;
const perSession = 100;

/** Bytes by which the tier's process grows for each of 10,000 connections, to 100 sessions. */
export const measureIdleMemory = async (
  natsUrl: string,
): Promise<{ readonly bytesPerIdleConnection: number }> => {
  const tier = startWorker<TierCommands>(new URL("./tier-process.ts", import.meta.url));
  const watchers = startWorker<WatchersCommands>(new URL("./watchers-process.ts", import.meta.url));
  try {
    const port = await tier.call("start", natsUrl, 50);
    const watched = newBenchSessions(sessions + 1);
    const [first = "", ...tickets] = await Promise.all(watched.map(ticketOf));
    // The code that lets them in is loaded and compiled by the first ones.
    await watchers.call("connect", port, [first], perSession, false);
    const before = await tier.call("usage");
    await watchers.call("connect", port, tickets, perSession, false);
    const after = await tier.call("usage");
    const grown = after.rssBytes - before.rssBytes;
    return { bytesPerIdleConnection: Math.round(grown / (sessions * perSession)) };
  } finally {
    await Promise.all([tier.stop(), watchers.stop()]);
  }
};
