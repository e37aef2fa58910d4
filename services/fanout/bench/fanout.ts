/** The fan-out tier under its loads, beside the package `ws`: `npm run bench fanout`. */
import { connectToNats } from "#event-store/connection";
import { openEventStore } from "#event-store/event-store";
import { startNats } from "#infra/nats/embedded-nats";
import { findNatsServer } from "#infra/nats/find-nats-server";
import { type DeliveryFigures, measureDeliveries } from "./deliveries.ts";
import { measureIdleMemory } from "./idle-memory.ts";
import { type LatencyFigures, measureLatency } from "./latency.ts";
import { measureResumeStorm } from "./resume-storm.ts";

export interface FanoutBench extends DeliveryFigures, LatencyFigures {
  /** Bytes by which the process grows for each of 10,000 connections that are told nothing. */
  readonly bytesPerIdleConnection: number;
  /** Until 2,000 clients whose connections broke together have everything that they missed. */
  readonly resumeStormSeconds: number;
}

export const benchFanout = async (dataDir: string): Promise<FanoutBench> => {
  const binary = await findNatsServer({ env: process.env });
  const nats = await startNats({ dataDir, binary, syncInterval: "2m" });
  try {
    const connection = await connectToNats({ url: nats.url, name: "bench" });
    const store = await openEventStore({ connection, durability: "relaxed" });
    const figures = {
      ...(await measureDeliveries(store, nats.url)),
      ...(await measureIdleMemory(nats.url)),
      ...(await measureLatency(store, nats)),
      ...(await measureResumeStorm(store, nats.url)),
    };
    await connection.close();
    return figures;
  } finally {
    await nats.stop();
  }
};
