import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import type { SessionEvent } from "#contracts/session/events";
import { append } from "../append/append.ts";
import { verifyLog } from "../audit/verify-log.ts";
import { openCommitFeed } from "../reading/commit-feed.ts";
import type { EventStore } from "../event-store.ts";
import { execute } from "../aggregates/execute.ts";
import { type AggregateDefinition, loadAggregate } from "../aggregates/load.ts";
import { readAggregate } from "../reading/read-aggregate.ts";
import { subjectOf } from "../sharding.ts";
import { commitsBetweenSnapshots } from "../aggregates/snapshots.ts";
import { testMeta } from "../testing/counter.ts";
import { type MemoryDataKeys, memoryDataKeys } from "../testing/memory-data-keys.ts";
import { awaitSnapshot } from "../testing/await-snapshot.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";

type Queued = Extract<SessionEvent, { type: "PromptQueued" }>;

/** Remembers what was said in a session. */
const sayings: AggregateDefinition<string, Queued, { readonly said: readonly string[] }> = {
  aggregate: "session",
  snapshotVersion: 1,
  textOwner: ({ id }) => id,
  decider: {
    initialState: () => ({ said: [] }),
    decide: (text) => [
      { type: "PromptQueued", data: { promptId: newId("prompt"), text, by: "usr_test" } },
    ],
    evolve: ({ said }, { data }) => ({ said: [...said, data.text] }),
  },
};

let test: TestEventStore;
let keys: MemoryDataKeys;
let store: EventStore;
const organization = newId("organization");

beforeAll(async () => {
  test = await openTestEventStore();
  keys = memoryDataKeys();
  store = { ...test.store, dataKeys: keys };
});
afterAll(() => test.close());

const say = (id: SessionId, text: string, meta = testMeta()) =>
  execute(store, sayings, { organization, id }, text, meta);
const load = (id: SessionId, from = store) => loadAggregate(from, sayings, { organization, id });

const storedBytes = async (id: SessionId): Promise<string> => {
  const subject = subjectOf({ organization, aggregate: "session", id }, 1);
  const messages: string[] = [];
  for (let seq = 1; ;) {
    const message = await store.jsm.direct.getMessage("EVENTS_0", { seq, next_by_subj: subject });
    if (!message) break;
    messages.push(message.string());
    seq = message.seq + 1;
  }
  return [...messages, (await store.snapshots.get(subject))?.string() ?? ""].join("\n");
};

describe("a log whose text is sealed", () => {
  it("gives the text to whoever reads, and holds none of it", async () => {
    const id = newId("session");
    const { position } = await say(id, "the secret plan");
    expect((await load(id)).state.said).toEqual(["the secret plan"]);
    expect(await storedBytes(id)).not.toContain("secret");
    for await (const { commit } of readAggregate(store, {
      organization,
      aggregate: "session",
      id,
    })) {
      expect(commit.events[0]).toMatchObject({ data: { text: "the secret plan" } });
    }
    const stopping = new AbortController();
    const [shard, sequence] = position.split(":").map(Number) as [number, number];
    for await (const [recorded] of openCommitFeed(store, {
      shard,
      after: sequence - 1,
      signal: stopping.signal,
    })) {
      expect(recorded?.commit.events[0]).toMatchObject({ data: { text: "the secret plan" } });
      stopping.abort();
    }
  });

  it("knows a command that comes again, whose bytes are others", async () => {
    const id = newId("session");
    const meta = testMeta();
    const first = await say(id, "once", meta);
    const again = await say(id, "once", meta);
    expect(again).toMatchObject({ changed: false, position: first.position });
    const ref = { organization, aggregate: "session", id } as const;
    for await (const { commit, hash } of readAggregate(store, ref)) {
      // The same command from another process: found in the log, and told to be there already.
      const events = commit.events.map((event) => ({ ...event, id: newId("event") }));
      const appended = await append(store, ref, { ...commit, events }, { expected: "new" });
      expect(appended).toMatchObject({ recordedBefore: true, hash });
    }
  });

  it("reads on in what was written before text was sealed", async () => {
    const id = newId("session");
    await execute(test.store, sayings, { organization, id }, "in the open", testMeta());
    await say(id, "under seal");
    expect((await load(id)).state.said).toEqual(["in the open", "under seal"]);
    await expect(load(id, test.store)).rejects.toMatchObject({ code: "prerequisite_missing" });
  });

  it("has lost the text, and nothing else, when the key is erased", async () => {
    const id = newId("session");
    const neighbour = newId("session");
    await say(neighbour, "to be kept");
    for (let index = 0; index <= commitsBetweenSnapshots; index += 1) await say(id, "secret");
    const snapshot = await awaitSnapshot(store, { organization, aggregate: "session", id });
    expect(snapshot.json()).toMatchObject({ sealed: { owner: id } });
    expect(await storedBytes(id)).not.toContain("secret");
    expect((await load(id)).folded).toBeLessThan(commitsBetweenSnapshots);

    keys.erase({ organization, owner: id });
    const { state, folded } = await load(id);
    expect(folded).toBe(commitsBetweenSnapshots + 1);
    expect(new Set(state.said)).toEqual(new Set(["[erased]"]));
    await say(id, "secret");
    expect((await load(id)).state.said.at(-1)).toBe("[erased]");
    expect(await storedBytes(id)).not.toContain("secret");
    expect((await load(neighbour)).state.said).toEqual(["to be kept"]);
    expect(await verifyLog(store)).toMatchObject({ ok: true });
  });
});
