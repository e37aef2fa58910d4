import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { countDeadLetters } from "./count-dead-letters.ts";
import {
  type DeadLetter,
  findDeadLetter,
  keepDeadLetter,
  listDeadLetters,
} from "./dead-letters.ts";
import { dropDeadLetter } from "./drop.ts";
import { execute } from "../aggregates/execute.ts";
import { startReactor } from "./reactor.ts";
import { requeueDeadLetter } from "./requeue.ts";
import { counter, setMode, testMeta } from "../testing/counter.ts";
import { newOrganizationIn } from "../testing/organization-in.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";
import { startWorker, type WorkerOptions } from "./worker.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore({ shards: 2 });
});
afterAll(() => test.close());

const patience = { timeout: 30_000, interval: 20 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

const letterOf = async (id: string): Promise<DeadLetter | undefined> =>
  (await findDeadLetter(test.store, id))?.letter;

const ids = async (worker: string, dropped = false): Promise<string[]> => {
  const found: string[] = [];
  for await (const { id } of listDeadLetters(test.store, { worker, dropped })) {
    found.push(id);
  }
  return found;
};

const messagesOn = async (subject: string): Promise<number> =>
  Object.keys(
    (await test.store.jsm.streams.info("DEAD_LETTERS", { subjects_filter: subject })).state
      .subjects ?? {},
  ).length;

/** A worker of the inbox that fails as long as `broken` is set, and what it was given. */
const openFragileWorker = (name: string) => {
  const seen: { body: unknown; attempt: number }[] = [];
  const state = { broken: true };
  const options: WorkerOptions = {
    stream: "INBOX",
    name,
    subjects: [`inbox.${name}`],
    maxAttempts: 2,
    log,
    handle: (message, attempt) => {
      seen.push({ body: message.json(), attempt });
      return state.broken ? Promise.reject(new TypeError(`never ${attempt}`)) : Promise.resolve();
    },
  };
  return { seen, state, options, publish: () => test.store.js.publish(`inbox.${name}`, '{"a":1}') };
};

it("letters are listed and counted however many there are, but for those that were dropped", async () => {
  const at = new Date().toISOString();
  const failure = { attempt: 1, error: { name: "Error", message: "no" }, at };
  const many = Array.from({ length: 600 }, (_, index) => index + 1);
  const place = { worker: "overwhelmed", stream: "INBOX", subject: "inbox.overwhelmed" };
  await Promise.all(
    many.map((sequence) =>
      keepDeadLetter(test.store, {
        ...place,
        sequence,
        attempts: 1,
        requeues: 0,
        history: [failure],
      }),
    ),
  );
  const [first = ""] = await ids("overwhelmed");
  await dropDeadLetter(test.store, first, { by: "alice", reason: "not worth it" });
  expect(new Set(await ids("overwhelmed", true)).size).toBe(600);
  expect(new Set(await ids("overwhelmed")).size).toBe(599);
  expect((await countDeadLetters(test.store)).get("overwhelmed")).toBe(599);
});

describe("a message that a worker gives up", () => {
  it("is kept as a letter with each failure, and not taken again", async () => {
    const { seen, options, publish } = openFragileWorker("gives-up");
    const worker = await startWorker(test.store, options);
    const { seq } = await publish();
    const id = `gives-up.INBOX.${seq}`;
    await vi.waitUntil(() => letterOf(id), patience);
    const pending = async () =>
      (await test.store.jsm.consumers.info("INBOX", "gives-up")).num_ack_pending;
    await vi.waitUntil(async () => (await pending()) === 0, patience);
    await worker.stop();
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(await letterOf(id)).toMatchObject({
      worker: "gives-up",
      stream: "INBOX",
      sequence: seq,
      attempts: 2,
      requeues: 0,
      error: { name: "TypeError", message: "never 2" },
      history: [
        { attempt: 1, error: { message: "never 1" } },
        { attempt: 2, error: { message: "never 2" } },
      ],
      dropped: null,
    });
  });

  it("has its failures counted across processes, and waiting does not count", async () => {
    const { seen, state, options, publish } = openFragileWorker("moves-on");
    const { seq } = await publish();
    const first = await startWorker(test.store, {
      ...options,
      maxAttempts: 3,
      handle: async (message, attempt) =>
        attempt <= 4 ? { retryInMs: 1 } : options.handle(message, attempt),
    });
    await vi.waitUntil(() => seen.length === 1, patience);
    await first.stop();
    const second = await startWorker(test.store, { ...options, maxAttempts: 3 });
    await vi.waitUntil(() => letterOf(`moves-on.INBOX.${seq}`), patience);
    await second.stop();
    state.broken = false;
    expect(seen.map(({ attempt }) => attempt)).toEqual([5, 6, 7]);
    expect((await letterOf(`moves-on.INBOX.${seq}`))?.history).toHaveLength(3);
  });

  it("is handled again when it is requeued: failure renews the letter, success removes it", async () => {
    const { seen, state, options, publish } = openFragileWorker("recovers");
    const worker = await startWorker(test.store, options);
    const { seq } = await publish();
    const id = `recovers.INBOX.${seq}`;
    await vi.waitUntil(() => letterOf(id), patience);

    await requeueDeadLetter(test.store, id);
    await vi.waitUntil(async () => (await letterOf(id))?.requeues === 1, patience);
    expect((await letterOf(id))?.history.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);

    state.broken = false;
    await worker.stop();
    // Nobody runs: the wishes wait, and being asked twice does no harm.
    await requeueDeadLetter(test.store, id);
    await requeueDeadLetter(test.store, id);
    const again = await startWorker(test.store, options);
    await vi.waitUntil(async () => (await letterOf(id)) === undefined, patience);
    await vi.waitUntil(async () => (await messagesOn("requeue.recovers.>")) === 0, patience);
    await again.stop();
    expect(seen.at(-1)).toEqual({ body: { a: 1 }, attempt: 4 });
    expect(await ids("recovers")).toEqual([]);
  });

  it("reaches its reactor whatever shard its commit is in", async () => {
    const reacted: string[] = [];
    const state = { broken: true };
    const keys = Array.from({ length: 6 }, (_, index) => ({
      organization: newOrganizationIn(index % 2, 2),
      id: newId("policy"),
    }));
    const reactor = await startReactor(test.store, {
      name: "requeued-reactor",
      aggregates: ["policy"],
      maxAttempts: 1,
      log,
      react: ({ ref }) => {
        if (state.broken) return Promise.reject(new Error("not yet"));
        reacted.push(ref.id);
        return Promise.resolve();
      },
    });
    for (const key of keys) {
      await execute(test.store, counter, key, setMode("a"), testMeta());
    }
    const letters = () => ids("requeued-reactor");
    await vi.waitUntil(async () => (await letters()).length === keys.length, patience);
    const streams = new Set((await letters()).map((id) => id.split(".")[1]));
    state.broken = false;
    for (const id of await letters()) {
      await requeueDeadLetter(test.store, id);
    }
    await vi.waitUntil(async () => (await letters()).length === 0, patience);
    await reactor.stop();
    expect(streams.size).toBe(2);
    expect(reacted.sort()).toEqual(keys.map(({ id }) => id).sort());
  });

  it("can be dropped, which is remembered and cannot be requeued", async () => {
    const { seen, options, publish } = openFragileWorker("drops");
    const worker = await startWorker(test.store, options);
    const { seq } = await publish();
    const id = `drops.INBOX.${seq}`;
    await vi.waitUntil(() => letterOf(id), patience);
    await worker.stop();

    const dropped = { by: "ada", reason: "a test delivery" };
    await dropDeadLetter(test.store, id, dropped);
    expect(await ids("drops")).toEqual([]);
    expect(await ids("drops", true)).toEqual([id]);
    expect((await letterOf(id))?.dropped).toMatchObject(dropped);
    await expect(requeueDeadLetter(test.store, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(dropDeadLetter(test.store, id, dropped)).rejects.toMatchObject({
      code: "not_found",
    });
    expect(seen).toHaveLength(2);
  });

  it("whose message is gone cannot be requeued", async () => {
    const { options, publish } = openFragileWorker("gone");
    const worker = await startWorker(test.store, options);
    const { seq } = await publish();
    const id = `gone.INBOX.${seq}`;
    await vi.waitUntil(() => letterOf(id), patience);
    await worker.stop();
    await test.store.jsm.streams.deleteMessage("INBOX", seq);
    await expect(requeueDeadLetter(test.store, id)).rejects.toMatchObject({ code: "not_found" });
    expect(await ids("gone")).toEqual([id]);
  });
});
