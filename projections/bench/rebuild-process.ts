/** Builds all read models anew, in a process that does nothing else: what `rebuild.ts` measures. */
import { connectToNats } from "#event-store/connection";
import { openEventStore } from "#event-store/event-store";
import { openDatabase } from "../database.ts";
import { readModels } from "../read-models.ts";
import { rebuildReadModels } from "../runtime/rebuild.ts";
import { complaints } from "./bench-stack.ts";

const [natsUrl = "", databaseUrl = ""] = process.argv.slice(2);
const connection = await connectToNats({ url: natsUrl, name: "bench" });
const started = performance.now();
await rebuildReadModels({
  store: await openEventStore({ connection, durability: "relaxed" }),
  openSql: (schema) =>
    openDatabase({ url: databaseUrl, maxConnections: 1, ...(schema && { schema }) }),
  projections: readModels,
  log: complaints,
  signal: new AbortController().signal,
});
process.stdout.write(`${((performance.now() - started) / 1_000).toFixed(1)}\n`);
await connection.close();
