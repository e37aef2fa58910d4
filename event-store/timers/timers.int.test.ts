import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";
import { writeZone } from "../testing/zone-file.ts";
import {
  cancelTimer,
  scheduleCron,
  scheduleTimer,
  startTimerWorker,
  type Timer,
  type TimerHandler,
} from "./timers.ts";
import type { Worker } from "../workers/worker.ts";

const patience = { timeout: 30_000, interval: 20 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

let folder: string;
/** Where the server looks for time zones first. */
let zones: string;
let test: TestEventStore;
let worker: Worker;
const fired: Timer[] = [];
const handlers = new Map<string, TimerHandler>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "proliferate-test-zones-"));
  // Of a server that this test starts; one that runs already was told its own folder.
  vi.stubEnv("ZONEINFO", folder);
  zones = inject("sharedCluster")?.timeZones ?? folder;
  test = await openTestEventStore();
  worker = await startTimerWorker(test.store, {
    log,
    handlers: {
      note: (timer) => {
        fired.push(timer);
        return handlers.get(timer.key)?.(timer) ?? Promise.resolve();
      },
    },
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await worker.stop();
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

const firingsOf = (key: string): Timer[] => fired.filter((timer) => timer.key === key);
const content = (key: string, data: Record<string, unknown> = {}) => ({ key, kind: "note", data });
const scheduled = async (): Promise<string[]> =>
  Object.keys(
    (await test.store.jsm.streams.info("TIMERS", { subjects_filter: "timer.>" })).state.subjects ??
      {},
  ).filter((subject) => /^timer\.(schedule|guard)\./.test(subject));

describe("a timer", () => {
  it("fires once, can be replaced, and does not fire when it was cancelled", async () => {
    const timer = (key: string, value: string, at: number) =>
      scheduleTimer(test.store, { ...content(key, { value }), at: new Date(Date.now() + at) });
    await timer("cancelled", "x", 60_000);
    await timer("replaced", "old", 60_000);
    await timer("replaced", "new", 300);
    await cancelTimer(test.store, "cancelled");
    await timer("overdue", "late", -1_000);
    await vi.waitUntil(
      () => firingsOf("replaced").length > 0 && firingsOf("overdue").length > 0,
      patience,
    );
    expect(firingsOf("replaced").map(({ data }) => data)).toEqual([{ value: "new" }]);
    expect(firingsOf("overdue").map(({ data }) => data)).toEqual([{ value: "late" }]);
    // The server takes a schedule away after it has fired.
    await vi.waitFor(async () => expect(await scheduled()).toEqual([]), patience);
  });

  it("has an id that is the same for each repetition, and is removed by the server in the end", async () => {
    const at = new Date(Date.now() + 100);
    handlers.set("repeated", () =>
      firingsOf("repeated").length < 3 ? Promise.reject(new Error("not yet")) : Promise.resolve(),
    );
    await scheduleTimer(test.store, { ...content("repeated"), at });
    await vi.waitUntil(() => firingsOf("repeated").length === 3, patience);
    expect(new Set(firingsOf("repeated").map(({ firingId }) => firingId)).size).toBe(1);
    expect(firingsOf("repeated")[0]?.dueAt).toBe(at.toISOString());
    const message = await test.store.jsm.streams.getMessage("TIMERS", {
      last_by_subj: "timer.fired.repeated",
    });
    expect(message?.header.get("Nats-TTL")).toBe("168h");
  });
});

describe("a repeating timer", () => {
  it("fires once for each due second, and no firing is lost while an earlier one fails", async () => {
    let open = false;
    handlers.set("every-second", () =>
      open ? Promise.resolve() : Promise.reject(new Error("not yet")),
    );
    await scheduleCron(test.store, {
      ...content("every-second"),
      cron: "* * * * * *",
      timeZone: "UTC",
    });
    const ids = () => new Set(firingsOf("every-second").map(({ firingId }) => firingId));
    await vi.waitUntil(() => ids().size >= 3, patience);
    await cancelTimer(test.store, "every-second");
    // The guard of a firing that was in hand goes by itself.
    await vi.waitUntil(async () => (await scheduled()).length === 0, patience);
    const { state } = await test.store.jsm.streams.info("TIMERS", {
      subjects_filter: "timer.fired.every-second",
    });
    open = true;
    const settled = async () => {
      const { num_ack_pending, num_pending } = await test.store.jsm.consumers.info(
        "TIMERS",
        "timers",
      );
      return num_ack_pending + num_pending === 0;
    };
    await vi.waitUntil(settled, patience);
    expect(ids().size).toBeGreaterThanOrEqual(state.subjects?.["timer.fired.every-second"] ?? 0);
    const dueAts = new Set(firingsOf("every-second").map(({ dueAt }) => dueAt));
    expect(dueAts.size).toBe(ids().size);
    expect([...dueAts].every((dueAt) => dueAt.endsWith(".000Z"))).toBe(true);
  });

  it("takes the place of another timer of the same key", async () => {
    await scheduleCron(test.store, {
      ...content("changed", { version: 1 }),
      cron: "0 0 0 1 1 *",
      timeZone: "UTC",
    });
    await scheduleCron(test.store, {
      ...content("changed", { version: 2 }),
      cron: "* * * * * *",
      timeZone: "UTC",
    });
    await vi.waitUntil(() => firingsOf("changed").length >= 2, patience);
    await cancelTimer(test.store, "changed");
    expect(new Set(firingsOf("changed").map(({ data }) => data["version"]))).toEqual(new Set([2]));
  });

  it.each([
    ["five fields", "0 3 * * *", "UTC"],
    ["a second that does not exist", "61 * * * * *", "UTC"],
    ["an unknown time zone", "0 0 3 * * *", "Mars/Olympus"],
    ["no cron at all", "@every 1s", "UTC"],
  ])("is refused with %s", async (_, cron, timeZone) => {
    await expect(
      scheduleCron(test.store, { ...content("refused"), cron, timeZone }),
    ).rejects.toMatchObject({ code: "request_invalid" });
    expect(await scheduled()).not.toContain("timer.schedule.refused");
  });
});

describe("summer time", () => {
  const hour = 3_600;
  const day = 24 * hour;

  /**
   * Sets a timer for two seconds ahead in a zone whose clock is between a quarter past one and a quarter
   * to two then, and is changed at two.
   */
  const schedule = async (
    name: string,
    { hours, change }: { readonly hours: string; readonly change: number },
  ): Promise<{ readonly key: string; readonly due: number }> => {
    const due = Math.ceil(Date.now() / 1_000) + 2;
    // Whole half hours, as almost everywhere on earth: the server counts minutes from the full one.
    const toHalfHour = Math.round((1.5 * hour - (due % day)) / (hour / 2)) * (hour / 2);
    const offset = toHalfHour < -day / 2 ? toHalfHour + day : toHalfHour;
    const local = (due + offset) % day;
    const key = `${name}-${due}`;
    const zone = `Test/${key}`;
    const changeAt = due + (2 * hour - local);
    await writeZone(zones, { name: zone, offset, changeAt, offsetAfter: offset + change });
    const cron = `${local % 60} ${Math.floor((local % hour) / 60)} ${hours} * * *`;
    await scheduleCron(test.store, { ...content(key), cron, timeZone: zone });
    return { key, due };
  };

  /** In how many hours the timer fires again, as the server says when it fires. */
  const nextAfterHours = async (...of: Parameters<typeof schedule>): Promise<number> => {
    let timer = await schedule(...of);
    // A slow machine may be too late for its own timer: the next one has a name of its own.
    while (Date.now() > timer.due * 1_000 - 100) {
      await cancelTimer(test.store, timer.key);
      timer = await schedule(...of);
    }
    const { key, due } = timer;
    await vi.waitUntil(() => firingsOf(key).length > 0, patience);
    const message = await test.store.jsm.streams.getMessage("TIMERS", {
      last_by_subj: `timer.fired.${key}`,
    });
    await cancelTimer(test.store, key);
    return (Date.parse(message?.header.get("Nats-Schedule-Next") ?? "") / 1_000 - due) / hour;
  };

  it("leaves out a time that does not exist", async () => {
    // At two it becomes three: there is no half past two today, and the next is tomorrow at half past one.
    expect(await nextAfterHours("spring", { hours: "1,2", change: hour })).toBe(23);
  });

  it("leaves a time that exists as it is", async () => {
    expect(await nextAfterHours("later", { hours: "1,4", change: hour })).toBe(2);
  });

  it("fires twice at a time that comes twice", async () => {
    // At two it becomes one: half past one comes again after an hour.
    expect(await nextAfterHours("autumn", { hours: "1", change: -hour })).toBe(1);
  });
});
