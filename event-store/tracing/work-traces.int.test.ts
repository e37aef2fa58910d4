/** Where a trace begins that no request has begun: with what a worker is handed out. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { execute } from "../aggregates/execute.ts";
import { newCommandMeta } from "../command-meta.ts";
import type { EventStore } from "../event-store.ts";
import { streamOf, subjectOf } from "../sharding.ts";
import { counter, setMode } from "../testing/counter.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";
import { scheduleTimer, startTimerWorker } from "../timers/timers.ts";
import { startInboxWorker, storeDelivery } from "../workers/inbox.ts";
import { type KeptSpan, keepSpans } from "./testing/kept-spans.ts";
import { type Traceparent, traceparentHeader } from "./tracing.ts";

const patience = { timeout: 30_000, interval: 20 };
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ofRequest = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const tracing = keepSpans();
let test: TestEventStore;
let store: EventStore;
beforeAll(async () => {
  test = await openTestEventStore();
  store = { ...test.store, tracing };
});
afterAll(() => test.close());

const newKey = () => ({ organization: newId("organization"), id: "one" });
type Key = ReturnType<typeof newKey>;

const change = async (key: Key, trace: Traceparent | undefined): Promise<void> => {
  const actor = { kind: "service", id: "test", via: "test" } as const;
  await execute(store, counter, key, setMode("changed"), newCommandMeta({ actor, trace }));
};

/** The span of the work whose one commit this is. */
const workOf = async (key: Key): Promise<KeptSpan> => {
  const subject = subjectOf({ ...key, aggregate: "policy" }, store.shards);
  const { header } = await vi.waitUntil(
    () => store.jsm.streams.getMessage(streamOf(0), { last_by_subj: subject }),
    patience,
  );
  const span = (traceparent: string | undefined) =>
    tracing.spans.find((kept) => kept.traceparent === traceparent);
  const work = span(span(header.get(traceparentHeader))?.parent);
  if (!work) throw new Error("The commit is a part of nothing.");
  await vi.waitUntil(() => work.ended, patience);
  return work;
};

it("a timer that fires begins one, and its commits carry it", async () => {
  const key = newKey();
  const worker = await startTimerWorker(store, {
    handlers: { change: ({ trace }) => change(key, trace) },
    log,
  });
  await scheduleTimer(store, { key: "change.one", at: new Date(), kind: "change", data: {} });
  const work = await workOf(key);
  expect(work.parent).toBeUndefined();
  expect(work).toMatchObject({
    name: "timer change",
    kind: "consumer",
    attributes: { "messaging.destination.name": "TIMERS", "proliferate.timer": "change.one" },
  });
  await worker.stop();
});

it("a delivery goes on with that of its request, and begins one where there is none", async () => {
  const keys = [newKey(), newKey()] as const;
  const worker = await startInboxWorker(store, {
    log,
    handle: async ({ organization, trace }) => {
      const key = keys.find((each) => each.organization === organization);
      if (key) await change(key, trace);
    },
  });
  for (const [{ organization }, trace] of [
    [keys[0], ofRequest],
    [keys[1], undefined],
  ] as const) {
    await storeDelivery(store, {
      ...{ organization, trace },
      triggerId: newId("trigger"),
      deliveryId: "one",
      receivedAt: new Date().toISOString(),
      contentType: "application/json",
      body: Buffer.from("{}"),
    });
  }
  const [followed, begun] = [await workOf(keys[0]), await workOf(keys[1])];
  expect(followed).toMatchObject({ name: "process inbox", parent: ofRequest });
  expect(begun).toMatchObject({ name: "process inbox", parent: undefined });
  expect(begun.attributes).toMatchObject({ "proliferate.organization": keys[1].organization });
  await worker.stop();
});
