import { Counter, Gauge, type Registry } from "prom-client";
import type { LiveStats } from "../fanout/live-stats.ts";

type Transport = "websocket" | "event_stream";

export interface LiveMetrics {
  /** Has what serves live clients asked for its numbers whenever somebody collects. */
  follow(transport: Transport, stats: () => LiveStats): void;
}

/** Those who watch sessions live, and what waits for them. */
export const liveMetrics = (registry: Registry): LiveMetrics => {
  const followed = new Map<Transport, () => LiveStats>();
  const collected = (
    Kind: typeof Gauge<"transport"> | typeof Counter<"transport">,
    { name, help, value }: { name: string; help: string; value: (stats: LiveStats) => number },
  ): void => {
    const metric = new Kind({
      name: `proliferate_fanout_${name}`,
      help,
      labelNames: ["transport"],
      registers: [registry],
      collect: () => {
        metric.reset();
        for (const [transport, stats] of followed) metric.inc({ transport }, value(stats()));
      },
    });
  };
  collected(Gauge, {
    name: "clients",
    help: "Clients that watch sessions live.",
    value: ({ clients }) => clients,
  });
  collected(Gauge, {
    name: "watched_sessions",
    help: "Sessions that are followed for them.",
    value: ({ watchedSessions }) => watchedSessions,
  });
  collected(Gauge, {
    name: "buffered_bytes",
    help: "Bytes that wait in this process because clients have not read them.",
    value: ({ bufferedBytes }) => bufferedBytes,
  });
  collected(Counter, {
    name: "frames_sent_total",
    help: "Frames that clients were sent.",
    value: ({ framesSent }) => framesSent,
  });
  collected(Counter, {
    name: "slow_consumers_total",
    help: "Clients that were cut off because they read too slowly.",
    value: ({ slowConsumers }) => slowConsumers,
  });
  return {
    follow: (transport, stats) => {
      followed.set(transport, stats);
    },
  };
};
