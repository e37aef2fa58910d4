/**
 * Test aid: an executor in a process of its own, which carries out one invocation with an action of its
 * own. It says `began` when it does the deed, which takes for ever (`hang`) or no time, and `done` when
 * nothing is left to do.
 */
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { newCommandMeta } from "#event-store/command-meta";
import { connectToNats } from "#event-store/connection";
import type { Durability } from "#event-store/durability";
import { openEventStore } from "#event-store/event-store";
import { openLeases } from "#event-store/leases/leases";
import type { InvocationId, OrganizationId } from "#contracts/ids";
import { executeInvocation } from "../execution/execution.ts";
import type { ActionSource } from "../sources/source.ts";

const [url = "", durability = "", organization = "", id = "", kind = "", course = ""] =
  process.argv.slice(2);
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const deed: ActionSource = {
  id: "demo",
  name: "Demo",
  guide: () => Promise.resolve(""),
  list: () =>
    Promise.resolve([
      {
        id: "publish_release",
        description: "",
        risk: "write",
        params: { type: "object" },
        idempotent: kind === "idempotent",
      },
    ]),
  execute: async () => {
    say("began");
    return course === "hang" ? new Promise(() => undefined) : { published: true };
  },
};

const connection = await connectToNats({ url, name: "executor-process" });
const store = await openEventStore({ connection, durability: durability as Durability });
const deps = {
  store,
  registry: { sourcesOf: () => Promise.resolve([deed]) },
  // Short, because whoever comes next waits until it has run out.
  leases: await openLeases(store, "runtime", { ttlMs: 3_000 }),
  keepFullResult: () => Promise.resolve(null),
  instance: `executor-${process.pid}`,
  timeoutMs: 60_000,
  stopping: new AbortController().signal,
  newMeta: () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } }),
  log: pino({ level: "silent" }),
};
const key = { organization: organization as OrganizationId, id: id as InvocationId };
while ((await executeInvocation(deps, key)) === "busy") await delay(100);
say("done");
await connection.close();
