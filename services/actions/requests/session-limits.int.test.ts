import { afterAll, beforeAll, expect, it } from "vitest";
import { type InvocationId, newId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { invokeAction } from "../commands.ts";
import {
  maxInvocationsPerMinute,
  maxPendingPerSession,
  openSessionLimits,
} from "./session-limits.ts";
import { type ActionWorld, startActionWorld } from "../testing/action-world.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
});
afterAll(() => world.close());

const codesOf = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  results.flatMap((result) =>
    result.status === "rejected" ? [(result.reason as { code?: unknown }).code] : [],
  );

it("lets exactly ten wait for a person, through any number of gateways, and more as they end", async () => {
  const { store, deps, organization } = world.stack;
  const sessionId = await world.stack.createSession();
  const gateways = await Promise.all(
    [1, 2, 3].map(async () => ({ ...deps, limits: await openSessionLimits(store, deps.clock) })),
  );
  const ask = async (gateway = 0): Promise<InvocationId> => {
    const chosen = gateways[gateway % gateways.length];
    if (!chosen) throw new Error("no gateway");
    const { id } = await invokeAction(
      chosen,
      {
        organization,
        sessionId,
        integration: "demo",
        action: "publish_release",
        params: { version: world.nextVersion() },
        idempotencyKey: undefined,
      },
      newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } }),
    );
    return id;
  };
  const asked = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => ask(index)));
  const [id] = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  expect(codesOf(asked)).toEqual(
    Array(30 - maxPendingPerSession).fill("too_many_pending_invocations"),
  );

  if (!id) throw new Error("nothing was let in");
  await world.approve(sessionId, id);
  await ask();
  await expect(ask(1)).rejects.toMatchObject({ code: "too_many_pending_invocations" });
});

it("gives back the places of what never came, and only those", async () => {
  const { store, organization } = world.stack;
  let now = Date.now();
  const limits = await openSessionLimits(store, () => new Date(now));
  const session = { organization, sessionId: newId("session") };
  const take = (id = newId("invocation")): Promise<void> => limits.takePlace(session, id);
  const first = newId("invocation");
  await take(first);
  for (let place = 1; place < maxPendingPerSession; place += 1) await take();
  await take(first);
  await expect(take()).rejects.toMatchObject({ code: "too_many_pending_invocations" });
  now += 60_001;
  await take();
});

it("lets a session ask 60 times in any minute, whichever gateway it asks", async () => {
  const { store, organization } = world.stack;
  let now = Date.now();
  const gateways = await Promise.all(
    [1, 2].map(() => openSessionLimits(store, () => new Date(now))),
  );
  const session = { organization, sessionId: newId("session") };
  const ids = Array.from({ length: maxInvocationsPerMinute + 5 }, () => newId("invocation"));
  const count = async (id: InvocationId, gateway = 0): Promise<void> =>
    gateways[gateway % 2]?.countCall(session, id);
  const counted = await Promise.allSettled(ids.map((id, index) => count(id, index)));
  expect(codesOf(counted)).toEqual(Array(5).fill("too_many_invocations"));
  const known = ids[counted.findIndex(({ status }) => status === "fulfilled")];
  if (!known) throw new Error("nothing was counted");
  await count(known, 1);
  now += 60_001;
  await count(newId("invocation"));
});
