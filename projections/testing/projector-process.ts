/**
 * Test aid: a process that does nothing but project, or build the read models anew; to be killed. Says in
 * lines what the tally's state is (`projecting`, `standby`, …), and `rebuilt` at the end of a build.
 */
import { setTimeout as delay } from "node:timers/promises";
import { connectToNats } from "#event-store/connection";
import { openEventStore } from "#event-store/event-store";
import { openDatabase } from "../database.ts";
import { startProjector } from "../runtime/projector.ts";
import { rebuildReadModels } from "../runtime/rebuild.ts";
import { killedModels } from "./killed-models.ts";

const [work, natsUrl = "", databaseUrl = "", maxBatch = ""] = process.argv.slice(2);
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const discarded = (): void => undefined;

const connection = await connectToNats({ url: natsUrl, name: "projector-process" });
const options = {
  store: await openEventStore({ connection, durability: "relaxed" }),
  openSql: (schema?: string) =>
    openDatabase({ url: databaseUrl, maxConnections: 1, ...(schema && { schema }) }),
  projections: killedModels,
  log: { info: discarded, warn: discarded, error: discarded },
  maxBatch: Number(maxBatch),
};

if (work === "rebuild") {
  await rebuildReadModels({ ...options, signal: new AbortController().signal });
  say("rebuilt");
  await connection.close();
} else {
  const { status } = await startProjector(options);
  let told: string | undefined;
  for (;;) {
    const tally = (await status()).find(({ model }) => model === "tally");
    // before it has looked where the tally stands, it has nothing to say
    if (tally !== undefined && tally.checkpoint > 0 && tally.state !== told) {
      told = tally.state;
      say(told);
    }
    await delay(20);
  }
}
