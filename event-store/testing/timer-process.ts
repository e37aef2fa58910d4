/** Test aid: a timer worker that records each firing in the log, on the server of its argument. */
import { connectToNats } from "../connection.ts";
import { openEventStore } from "../event-store.ts";
import { startTimerWorker } from "../timers/timers.ts";
import { recordFiring } from "./record-firing.ts";

const [url = "", organization = "", policy = ""] = process.argv.slice(2);
const connection = await connectToNats({ url, name: "timer-process" });
const store = await openEventStore({ connection, durability: "relaxed" });
const ignore = (): void => undefined;
await startTimerWorker(store, {
  log: { info: ignore, warn: ignore, error: ignore },
  handlers: {
    note: async (timer) => {
      await recordFiring(store, { organization, policy }, timer);
      process.stdout.write(`${timer.key}\n`);
    },
  },
});
process.stdout.write("ready\n");
