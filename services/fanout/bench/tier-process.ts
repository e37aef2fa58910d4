/** The fan-out tier in a process of its own, as it is in production: what the benchmarks measure. */
import { pino } from "pino";
import { connectToNats } from "#event-store/connection";
import { openEventStore } from "#event-store/event-store";
import { cpuUsOfThisProcess, serveCommands, usageOfThisProcess } from "#infra/bench/worker-process";
import { verifyLiveTicket } from "../../identity/signed-tokens.ts";
import { startFanout } from "../fanout.ts";
import { ticketKey } from "./bench-sessions.ts";

const commands = {
  /** Answers the port. A window of 0 batches nothing. */
  start: async (natsUrl: string, batchWindowMs: number): Promise<number> => {
    const connection = await connectToNats({ url: natsUrl, name: "bench-fanout" });
    const { port } = await startFanout({
      store: await openEventStore({ connection, durability: "relaxed" }),
      port: 0,
      verifyTicket: (ticket) => verifyLiveTicket(ticketKey, ticket, new Date()),
      commands: null,
      loadTranscript: () => Promise.resolve([]),
      loadStatus: () => Promise.resolve("running"),
      log: pino({ level: "warn" }, pino.destination(2)),
      limits: { batchWindowMs },
    });
    return port;
  },
  usage: usageOfThisProcess,
  cpuUs: cpuUsOfThisProcess,
};
export type TierCommands = typeof commands;

serveCommands(commands);
