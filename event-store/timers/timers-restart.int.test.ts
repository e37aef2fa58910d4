import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { NatsConnection } from "@nats-io/transport-node";
import { newId } from "#contracts/ids";
import { connectToNats } from "../connection.ts";
import { type EventStore, openEventStore } from "../event-store.ts";
import { loadAggregate } from "../aggregates/load.ts";
import { startTestProcess } from "../testing/child-process.ts";
import { counter } from "../testing/counter.ts";
import { recordFiring } from "../testing/record-firing.ts";
import { type RestartableNats, startRestartableNats } from "../testing/restartable-nats.ts";
import {
  cancelTimer,
  scheduleCron,
  scheduleTimer,
  startTimerWorker,
  type Timer,
} from "./timers.ts";

const patience = { timeout: 50_000, interval: 50 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

let nats: RestartableNats;
let connection: NatsConnection;
let store: EventStore;
beforeAll(async () => {
  nats = await startRestartableNats();
  connection = await connectToNats({ url: nats.url, name: "test" });
  store = await openEventStore({ connection, durability: "relaxed" });
});
afterAll(async () => {
  await connection.close();
  await nats.close();
});

describe("timers", () => {
  it("each count once, though the server and the worker are killed between setting and firing", async () => {
    const key = { organization: newId("organization"), policy: newId("policy") };
    const recorded = async (): Promise<readonly string[]> =>
      (await loadAggregate(store, counter, { organization: key.organization, id: key.policy }))
        .state.actions;
    const set = (name: string, inMs: number) =>
      scheduleTimer(store, {
        key: name,
        at: new Date(Date.now() + inMs),
        kind: "note",
        data: {},
      });

    const first = await startTestProcess(new URL("../testing/timer-process.ts", import.meta.url), [
      nats.url,
      key.organization,
      key.policy,
    ]);
    try {
      await vi.waitUntil(() => first.lines.includes("ready"), patience);
      const early = Array.from({ length: 20 }, (_, index) => `early-${index}`);
      const late = Array.from({ length: 20 }, (_, index) => `late-${index}`);
      await Promise.all(early.map((name, index) => set(name, 20 * index)));
      await Promise.all(late.map((name, index) => set(name, 2_000 + 50 * index)));
      await scheduleCron(store, {
        key: "yearly",
        cron: "0 0 0 1 1 *",
        timeZone: "UTC",
        kind: "note",
        data: {},
      });
      // All that is due by now: what a killed worker has in hand comes again after half a minute only.
      await vi.waitUntil(() => early.every((name) => first.lines.includes(name)), patience);
      await first.kill();
      await nats.end("SIGKILL");
      await nats.start();
      await vi.waitFor(() => connection.rtt(), patience);

      const second = await startTimerWorker(store, {
        log,
        handlers: { note: (timer) => recordFiring(store, key, timer) },
      });
      const all = [...early, ...late].sort();
      await vi.waitUntil(async () => (await recorded()).length >= all.length, patience);
      await second.stop();
      expect([...(await recorded())].sort()).toEqual(all);
      const schedules = await store.jsm.streams.info("TIMERS", {
        subjects_filter: "timer.schedule.>",
      });
      expect(Object.keys(schedules.state.subjects ?? {})).toEqual(["timer.schedule.yearly"]);
    } finally {
      await first.kill();
    }
  }, 120_000);

  it("make up for a repetition that fell into an outage, once", async () => {
    const fired: Timer[] = [];
    const worker = await startTimerWorker(store, {
      log,
      handlers: {
        note: (timer) => {
          fired.push(timer);
          return Promise.resolve();
        },
      },
    });
    // Twice in a minute, six seconds apart.
    const first = (new Date().getUTCSeconds() + 3) % 60;
    await scheduleCron(store, {
      key: "outage",
      cron: `${first},${(first + 6) % 60} * * * * *`,
      timeZone: "UTC",
      kind: "note",
      data: { made: "up" },
    });
    const guard = await vi.waitUntil(
      () => store.jsm.streams.getMessage("TIMERS", { last_by_subj: "timer.guard.outage" }),
      { timeout: 70_000, interval: 20 },
    );
    const { dueAt } = guard.json<{ dueAt: string }>();
    await nats.end("SIGKILL");
    await vi.waitUntil(() => Date.now() > Date.parse(dueAt), { timeout: 70_000, interval: 20 });
    await nats.start();
    await vi.waitUntil(() => fired.some((timer) => timer.dueAt === dueAt), patience);
    expect(fired.filter((timer) => timer.dueAt === dueAt)).toMatchObject([
      { key: "outage", data: { made: "up" } },
    ]);
    await cancelTimer(store, "outage");
    await worker.stop();
  }, 240_000);
});
