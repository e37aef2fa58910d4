/** On a server of one copy, the only one whose commits are grouped. It syncs nothing, for the sake of the disk. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { AggregateRef } from "#contracts/commit";
import { newId } from "#contracts/ids";
import { type EmbeddedNats, startNats } from "#infra/nats/embedded-nats";
import { append, type Appended, ConcurrencyConflict, type NewCommit } from "./append.ts";
import { connectToNats } from "../connection.ts";
import { type EventStore, openEventStore } from "../event-store.ts";
import { readAggregate } from "../reading/read-aggregate.ts";
import { readAll } from "../reading/read-all.ts";
import { testMeta } from "../testing/counter.ts";
import { openCuttingProxy, type Verdict } from "../testing/cutting-proxy.ts";
import { verifyChain } from "../reading/verify-chain.ts";

let dataDir: string;
let nats: EmbeddedNats;
let store: EventStore;
const open = async (url: string): Promise<EventStore> =>
  openEventStore({
    connection: await connectToNats({ url, name: "grouped" }),
    durability: "fsync",
  });
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "proliferate-groups-"));
  const binary = inject("natsServerBinary");
  nats = await startNats({ dataDir, binary, syncInterval: "2m", endsWithParent: true });
  store = await open(nats.url);
});
afterAll(async () => {
  await store.connection.close();
  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const newRef = (): AggregateRef => ({
  organization: newId("organization"),
  aggregate: "policy",
  id: newId("policy"),
});
const newCommit = (): NewCommit => ({
  v: 1,
  events: [{ id: newId("event"), type: "ActionModeSet", v: 1, data: {} }],
  meta: testMeta(newId("command")),
});
const appendNew = (ref: AggregateRef, commit: NewCommit, to = store): Promise<Appended> =>
  append(to, ref, commit, { expected: "new" });

/** The commands of an aggregate in the log, with their sequences. */
const recordedOf = async (ref: AggregateRef) => {
  const recorded: { commandId: string; sequence: number }[] = [];
  for await (const { commit, sequence } of readAggregate(store, ref)) {
    recorded.push({ commandId: commit.meta.commandId, sequence });
  }
  return recorded;
};

const isOfGroup = async (sequence: number): Promise<boolean> => {
  const message = await store.jsm.streams.getMessage("EVENTS_0", { seq: sequence });
  return message?.header.has("Nats-Batch-Id") ?? false;
};

it("lets commits that come at once share batches, and goes on from each alone", async () => {
  const refs = Array.from({ length: 60 }, newRef);
  const firsts = await Promise.all(refs.map((ref) => appendNew(ref, newCommit())));
  const seconds = await Promise.all(
    refs.map((ref, index) => append(store, ref, newCommit(), { expected: firsts[index] ?? "new" })),
  );
  const grouped = await Promise.all(seconds.map(({ sequence }) => isOfGroup(sequence)));
  expect(grouped.filter(Boolean).length).toBeGreaterThan(30);
  const alone = await append(store, newRef(), newCommit(), { expected: "new" });
  expect(await isOfGroup(alone.sequence)).toBe(false);
  const recorded = await Promise.all(refs.map(recordedOf));
  for (const [index, commits] of recorded.entries()) {
    const sequences = commits.map(({ sequence }) => sequence);
    expect(sequences).toEqual([firsts[index]?.sequence, seconds[index]?.sequence]);
  }
});

/** What an append may meet: nothing, a commit that it does not know of, or its own from an earlier attempt. */
const situations = ["clear", "overtaken", "repeated"] as const;

it("gives each commit of a group its own outcome", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...situations), { minLength: 40, maxLength: 100 }),
      async (mix) => {
        const planned = await Promise.all(
          mix.map(async (situation) => {
            const [ref, commit] = [newRef(), newCommit()];
            if (situation === "overtaken") await appendNew(ref, newCommit());
            const before = situation === "repeated" ? await appendNew(ref, commit) : undefined;
            return { situation, ref, commit, before };
          }),
        );
        const outcomes = await Promise.allSettled(
          planned.map(({ ref, commit }) => appendNew(ref, commit)),
        );
        const all = await Promise.all(planned.map(({ ref }) => recordedOf(ref)));
        for (const [index, { situation, commit, before }] of planned.entries()) {
          const outcome = outcomes[index];
          const recorded = all[index] ?? [];
          expect(recorded).toHaveLength(1);
          if (situation === "overtaken") {
            expect(outcome).toMatchObject({ reason: expect.any(ConcurrencyConflict) as unknown });
            continue;
          }
          const { sequence } = recorded[0] ?? {};
          expect(recorded[0]?.commandId).toBe(commit.meta.commandId);
          expect(outcome).toMatchObject({ value: { sequence, recordedBefore: false } });
          if (before !== undefined) expect(outcome).toMatchObject({ value: before });
        }
      },
    ),
    { numRuns: 15 },
  );
});

it.each(["lost", "delivered"] as const)(
  "has each commit once when the connection is cut in a batch, with a piece that is %s",
  async (how) => {
    await using proxy = await openCuttingProxy(nats.url);
    const cutStore = await open(proxy.url);
    try {
      for (let place = 1; place <= 6; place += 1) {
        let passed = 0;
        const judge = (): Verdict => {
          passed += 1;
          return passed === place ? how : "pass";
        };
        const planned = Array.from({ length: 60 }, () => ({ ref: newRef(), commit: newCommit() }));
        proxy.judge = judge;
        const appended = await Promise.all(
          planned.map(({ ref, commit }) => appendNew(ref, commit, cutStore)),
        );
        const recorded = await Promise.all(planned.map(({ ref }) => recordedOf(ref)));
        for (const [index, { commit }] of planned.entries()) {
          const { sequence } = appended[index] ?? {};
          expect(recorded[index]).toEqual([{ commandId: commit.meta.commandId, sequence }]);
        }
      }
    } finally {
      await cutStore.connection.close();
    }
    expect(await verifyChain(readAll(store))).toMatchObject({ ok: true });
  },
);
