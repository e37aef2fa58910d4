/** How many small messages a second reach 2,000 watchers of one session, beside the package `ws`. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventStore } from "#event-store/event-store";
import { percentile } from "#event-store/bench/percentile";
import { startWorker, type Worker, type WorkerCommands } from "#infra/bench/worker-process";
import type { Usage } from "#infra/bench/worker-process";
import {
  type BenchSession,
  newBenchSessions,
  publishToken,
  sharedClockUs,
} from "./bench-sessions.ts";
import { ticketOf } from "./bench-sessions.ts";
import type { PlainWsCommands } from "./plain-ws-process.ts";
import type { TierCommands } from "./tier-process.ts";
import type { WatchersCommands } from "./watchers-process.ts";

export interface DeliveryFigures {
  /** By the clock: the publisher, the log and the watchers have the other core. */
  readonly deliveriesPerSecond: number;
  /** For each second of CPU time that the tier's process has used. */
  readonly deliveriesPerCoreSecond: number;
  /** Against the package `ws` on the same messages, by the clock. */
  readonly ratioToWs: number;
  /** The same by CPU time. */
  readonly ratioToWsCpu: number;
}

const clients = 2_000;
const rounds = 3;
/** About as much work for both; the first round warms up. */
const messages = { tier: 1_500, ws: 50 };
/** Publishes that are not yet acknowledged. */
const inFlight = 64;

type Server = Worker<WorkerCommands & { readonly usage: () => Usage }>;
interface Rate {
  readonly perSecond: number;
  readonly perCoreSecond: number;
}

export const measureDeliveries = async (
  store: EventStore,
  natsUrl: string,
): Promise<DeliveryFigures> => {
  const [session] = newBenchSessions(1);
  if (!session) throw new Error("There is no session.");
  const tier = startWorker<TierCommands>(new URL("./tier-process.ts", import.meta.url));
  const plain = startWorker<PlainWsCommands>(new URL("./plain-ws-process.ts", import.meta.url));
  try {
    const tierPort = await tier.call("start", natsUrl, 0);
    const ofTier = await measure(store, session, {
      server: tier,
      port: tierPort,
      each: messages.tier,
    });
    // Each alone: both would follow the session.
    await tier.stop();
    const wsPort = await plain.call("start", natsUrl, session);
    const ofWs = await measure(store, session, { server: plain, port: wsPort, each: messages.ws });
    return {
      deliveriesPerSecond: Math.round(ofTier.perSecond),
      deliveriesPerCoreSecond: Math.round(ofTier.perCoreSecond),
      ratioToWs: Number((ofTier.perSecond / ofWs.perSecond).toFixed(2)),
      ratioToWsCpu: Number((ofTier.perCoreSecond / ofWs.perCoreSecond).toFixed(2)),
    };
  } finally {
    await Promise.all([tier.stop(), plain.stop()]);
  }
};

const measure = async (
  store: EventStore,
  session: BenchSession,
  { server, port, each }: { readonly server: Server; readonly port: number; readonly each: number },
): Promise<Rate> => {
  const watchers = startWorker<WatchersCommands>(new URL("./watchers-process.ts", import.meta.url));
  try {
    await watchers.call("connect", port, [await ticketOf(session)], clients, false);
    const rates: Rate[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const { cpuUs } = await server.call("usage");
      const started = sharedClockUs();
      const received = watchers.call("untilEachHas", each * (round + 1));
      await publish(store, session, each);
      const us = (await received) - started;
      const usedUs = (await server.call("usage")).cpuUs - cpuUs;
      const deliveries = clients * each * 1_000_000;
      if (round > 0) rates.push({ perSecond: deliveries / us, perCoreSecond: deliveries / usedUs });
    }
    return {
      perSecond: percentile(
        rates.map(({ perSecond }) => perSecond),
        50,
      ),
      perCoreSecond: percentile(
        rates.map(({ perCoreSecond }) => perCoreSecond),
        50,
      ),
    };
  } finally {
    await watchers.stop();
  }
};

/** As fast as the log takes them, so that there is always something to deliver. */
const publish = async (store: EventStore, session: BenchSession, count: number): Promise<void> => {
  const writer = async (from: number): Promise<void> => {
    for (let index = from; index < count; index += inFlight) {
      await publishToken(store, session, `w${index}`);
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, index) => writer(index)));
};
