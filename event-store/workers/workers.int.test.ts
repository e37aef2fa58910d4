import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import type { PolicyEvent } from "#contracts/policy/events";
import { openCommitFeed } from "../reading/commit-feed.ts";
import { execute } from "../aggregates/execute.ts";
import { storeDelivery, startInboxWorker } from "./inbox.ts";
import {
  type LiveEntry,
  liveState,
  openLiveFeed,
  publishLive,
  streamLive,
} from "../live/live-channel.ts";
import { requestOwner, serveOwner } from "../live/owner-requests.ts";
import type { AggregateDefinition } from "../aggregates/load.ts";
import { reactionId, startReactor } from "./reactor.ts";
import { counter, setMode, testMeta } from "../testing/counter.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore();
});
afterAll(() => test.close());

const patience = { timeout: 30_000, interval: 20 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const newKey = () => ({ organization: newId("organization"), id: newId("policy") });

describe("a commit feed", () => {
  it("gives every commit once, in order, first the old and then the new", async () => {
    const key = newKey();
    const append = (action: string) =>
      execute(test.store, counter, key, setMode(action), testMeta());
    for (let index = 0; index < 30; index += 1) {
      await append(`old-${index}`);
    }
    const stop = new AbortController();
    const sequences: number[] = [];
    const actions: unknown[] = [];
    const reading = (async () => {
      for await (const batch of openCommitFeed(test.store, {
        shard: 0,
        after: 0,
        signal: stop.signal,
        maxBatch: 7,
      })) {
        sequences.push(...batch.map(({ sequence }) => sequence));
        actions.push(...batch.map(({ commit }) => commit.events[0]?.data["action"]));
      }
    })();
    await vi.waitUntil(() => actions.includes("old-29"), patience);
    await append("new");
    await vi.waitUntil(() => actions.includes("new"), patience);
    stop.abort();
    await reading;
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });
});

/** The same aggregate with another event. */
const keeping: AggregateDefinition<{ keep: boolean }, PolicyEvent, null> = {
  aggregate: "policy",
  decider: {
    initialState: () => null,
    decide: (data) => [{ type: "FullResultKeepingSet", data }],
    evolve: () => null,
  },
};

describe("a reactor", () => {
  it("reacts to what it is for, and again after a failure", async () => {
    const key = newKey();
    const seen: string[] = [];
    const reactor = await startReactor(test.store, {
      name: "test-reactor",
      aggregates: ["policy"],
      log,
      react: (recorded, attempt) => {
        const action = String(recorded.commit.events[0]?.data["action"]);
        if (action === "fails-once" && attempt === 1) {
          return Promise.reject(new Error("not now"));
        }
        if (recorded.ref.id === key.id) {
          seen.push(`${action}:${attempt}:${reactionId(recorded, "test-reactor")}`);
        }
        return Promise.resolve();
      },
    });
    await execute(test.store, counter, key, setMode("fails-once"), testMeta());
    await execute(test.store, counter, key, setMode("works"), testMeta());
    await vi.waitUntil(() => seen.length === 2, patience);
    await reactor.stop();
    expect(seen.map((entry) => entry.split(":").slice(0, 2).join(":")).sort()).toEqual([
      "fails-once:2",
      "works:1",
    ]);
    expect(new Set(seen.map((entry) => entry.split(":")[2])).size).toBe(2);
  });

  it("passes over commits without the events that it is for", async () => {
    const key = newKey();
    const seen: string[] = [];
    const reactor = await startReactor(test.store, {
      name: "choosy-reactor",
      aggregates: ["policy"],
      events: ["FullResultKeepingSet"],
      log,
      react: ({ ref, commit }) => {
        if (ref.id === key.id) seen.push(...commit.events.map(({ type }) => type));
        return Promise.resolve();
      },
    });
    await execute(test.store, counter, key, setMode("passed over"), testMeta());
    await execute(test.store, keeping, key, { keep: true }, testMeta());
    // What comes first is handed out first.
    await vi.waitUntil(() => seen.length > 0, patience);
    await reactor.stop();
    expect(seen).toEqual(["FullResultKeepingSet"]);
  });
});

describe("the inbox", () => {
  it("stores a repeated delivery once", async () => {
    const delivery = {
      organization: newId("organization"),
      triggerId: newId("trigger"),
      deliveryId: "d1",
      receivedAt: new Date().toISOString(),
      contentType: "application/json",
      body: Buffer.from('{"a":1}'),
    };
    expect(await storeDelivery(test.store, delivery)).toEqual({ duplicate: false });
    expect(await storeDelivery(test.store, delivery)).toEqual({ duplicate: true });
    const bodies: string[] = [];
    const worker = await startInboxWorker(test.store, {
      log,
      handle: (received) => {
        bodies.push(received.body.toString());
        return Promise.resolve();
      },
    });
    await vi.waitUntil(() => bodies.length > 0, patience);
    await worker.stop();
    expect(bodies).toEqual(['{"a":1}']);
  });
});

const token = (delta: string): LiveMessage => ({
  type: "token",
  kind: "text",
  messageId: "m",
  partId: "p",
  delta,
});

describe("the live channel", () => {
  it("gives what is kept after a sequence and then what comes, of one session only", async () => {
    const key = { organization: newId("organization"), session: newId("session") };
    expect(await liveState(test.store, key)).toEqual({ firstSeq: 0, lastSeq: 0 });
    await Promise.all(["a", "b", "c"].map((delta) => publishLive(test.store, key, token(delta))));
    await publishLive(test.store, { ...key, session: newId("session") }, token("other"));
    const { firstSeq, lastSeq } = await liveState(test.store, key);
    const stop = new AbortController();
    const entries: LiveEntry[] = [];
    const reading = (async () => {
      for await (const entry of openLiveFeed(test.store, {
        ...key,
        after: firstSeq,
        signal: stop.signal,
      })) {
        entries.push(entry);
      }
    })();
    await vi.waitUntil(() => entries.length === 2, patience);
    await publishLive(test.store, key, token("d"));
    await vi.waitUntil(() => entries.length === 3, patience);
    stop.abort();
    await reading;
    expect(entries.map(({ message }) => message)).toEqual([token("b"), token("c"), token("d")]);
    expect(entries[1]?.seq).toBe(lastSeq);
  });

  it("keeps what is streamed in its order, whether or not the log was asked for an answer", async () => {
    const key = { organization: newId("organization"), session: newId("session") };
    const deltas = Array.from({ length: 200 }, (_, index) => `${index} `);
    await Promise.all([
      ...deltas.map((delta) => streamLive(test.store, key, token(delta))),
      publishLive(test.store, key, token("end")),
    ]);
    const stop = new AbortController();
    const told: string[] = [];
    for await (const { message } of openLiveFeed(test.store, { ...key, signal: stop.signal })) {
      if (message.type === "token") told.push(message.delta);
      if (told.at(-1) === "end") stop.abort();
    }
    expect(told).toEqual([...deltas, "end"]);
  });
});

describe("requests to an owner", () => {
  it("reach the owner that listens, and nobody when there is none", async () => {
    const session = newId("session");
    expect(await requestOwner(test.store, session, "wake")).toBe("no_owner");
    const woken = vi.fn();
    const listening = serveOwner(test.store, session, { wake: woken, cancel: vi.fn() });
    expect(await requestOwner(test.store, session, "wake")).toBe("answered");
    expect(woken).toHaveBeenCalledOnce();
    listening.stop();
    expect(await requestOwner(test.store, session, "wake")).toBe("no_owner");
  });
});
