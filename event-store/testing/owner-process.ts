/**
 * Test aid: an owner of a session that never looks at its lease, and writes until it is refused. What
 * happens to it is said in lines: `wrote`, `lost <reason>`, `refused <code>`.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isDomainError } from "#contracts/errors";
import { sessionAggregate } from "#services/sessions/aggregate/decider";
import { connectToNats } from "../connection.ts";
import type { Durability } from "../durability.ts";
import { openEventStore } from "../event-store.ts";
import { execute } from "../aggregates/execute.ts";
import { openLeases } from "../leases/leases.ts";
import { testMeta } from "./counter.ts";

const [url = "", durability = "", organization = "", session = "", ttlMs = ""] =
  process.argv.slice(2);
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const connection = await connectToNats({ url, name: "owner-process" });
const store = await openEventStore({ connection, durability: durability as Durability });
const leases = await openLeases(store, "owner", { ttlMs: Number(ttlMs) });
const key = { organization, id: session };
const lease = await leases.acquire(session, "paused");
if (!lease) {
  throw new Error("The lease is taken.");
}
lease.lost.addEventListener("abort", () => {
  const { reason } = lease.lost as { readonly reason: Error };
  say(`lost ${reason.message}`);
});
const { epoch } = lease;
await execute(
  store,
  sessionAggregate,
  key,
  { type: "AcquireOwnership", instance: "paused", epoch },
  testMeta(),
);
for (let refused = false; !refused;) {
  try {
    await execute(
      store,
      sessionAggregate,
      key,
      { type: "StartSandbox", epoch, provider: "test" },
      testMeta(),
    );
    say("wrote");
    await delay(10);
  } catch (error) {
    refused = true;
    say(`refused ${isDomainError(error) ? error.code : String(error)}`);
  }
}
