import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { loadAggregate } from "../aggregates/load.ts";
import { startTestProcess } from "../testing/child-process.ts";
import { counter } from "../testing/counter.ts";
import { recordFiring } from "../testing/record-firing.ts";
import {
  openRestartableEventStore,
  type RestartableEventStore,
} from "../testing/restartable-event-store.ts";
import {
  cancelTimer,
  scheduleCron,
  scheduleTimer,
  startTimerWorker,
  type Timer,
} from "./timers.ts";

const patience = { timeout: 50_000, interval: 50 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

let test: RestartableEventStore;
beforeAll(async () => {
  test = await openRestartableEventStore();
});
afterAll(() => test.close());

describe("timers", () => {
  it("each count once, though the server and the worker are killed between setting and firing", async () => {
    const key = { organization: newId("organization"), policy: newId("policy") };
    const recorded = async (): Promise<readonly string[]> =>
      (await loadAggregate(test.store, counter, { organization: key.organization, id: key.policy }))
        .state.actions;
    const set = (name: string, inMs: number) =>
      scheduleTimer(test.store, {
        key: name,
        at: new Date(Date.now() + inMs),
        kind: "note",
        data: {},
      });

    const first = await startTestProcess(new URL("../testing/timer-process.ts", import.meta.url), [
      test.nats.url,
      key.organization,
      key.policy,
    ]);
    try {
      await vi.waitUntil(() => first.lines.includes("ready"), patience);
      const early = Array.from({ length: 20 }, (_, index) => `early-${index}`);
      const late = Array.from({ length: 20 }, (_, index) => `late-${index}`);
      await Promise.all(early.map((name, index) => set(name, 20 * index)));
      await Promise.all(late.map((name, index) => set(name, 2_000 + 50 * index)));
      await scheduleCron(test.store, {
        key: "yearly",
        cron: "0 0 0 1 1 *",
        timeZone: "UTC",
        kind: "note",
        data: {},
      });
      // All that is due by now: what a killed worker has in hand comes again after half a minute only.
      await vi.waitUntil(() => early.every((name) => first.lines.includes(name)), patience);
      await first.kill();
      await test.nats.end("SIGKILL");
      await test.nats.start();
      await vi.waitFor(() => test.connection.rtt(), patience);

      const second = await startTimerWorker(test.store, {
        log,
        handlers: { note: (timer) => recordFiring(test.store, key, timer) },
      });
      const all = [...early, ...late].sort();
      await vi.waitUntil(async () => (await recorded()).length >= all.length, patience);
      await second.stop();
      expect([...(await recorded())].sort()).toEqual(all);
      const schedules = await test.store.jsm.streams.info("TIMERS", {
        subjects_filter: "timer.schedule.>",
      });
      expect(Object.keys(schedules.state.subjects ?? {})).toEqual(["timer.schedule.yearly"]);
    } finally {
      await first.kill();
    }
  }, 120_000);

  it("make up for a repetition that fell into an outage, once", async () => {
    const fired: Timer[] = [];
    const worker = await startTimerWorker(test.store, {
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
    await scheduleCron(test.store, {
      key: "outage",
      cron: `${first},${(first + 6) % 60} * * * * *`,
      timeZone: "UTC",
      kind: "note",
      data: { made: "up" },
    });
    const guard = await vi.waitUntil(
      () => test.store.jsm.streams.getMessage("TIMERS", { last_by_subj: "timer.guard.outage" }),
      { timeout: 70_000, interval: 20 },
    );
    const { dueAt } = guard.json<{ dueAt: string }>();
    await test.nats.end("SIGKILL");
    await vi.waitUntil(() => Date.now() > Date.parse(dueAt), { timeout: 70_000, interval: 20 });
    await test.nats.start();
    await vi.waitUntil(() => fired.some((timer) => timer.dueAt === dueAt), patience);
    expect(fired.filter((timer) => timer.dueAt === dueAt)).toMatchObject([
      { key: "outage", data: { made: "up" } },
    ]);
    await cancelTimer(test.store, "outage");
    await worker.stop();
  }, 240_000);
});
