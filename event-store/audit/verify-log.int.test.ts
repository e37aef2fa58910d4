import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Commit, genesisHash } from "#contracts/commit";
import { newId } from "#contracts/ids";
import { auditWitness } from "#projections/audit/witness";
import { openTestReadModels, type TestReadModels } from "#projections/testing/test-read-models";
import { execute } from "../aggregates/execute.ts";
import { hashOf } from "../reading/recorded.ts";
import { newOrganizationIn } from "../testing/organization-in.ts";
import { counter, setMode, testMeta } from "../testing/counter.ts";
import type { FaultKind } from "./fault.ts";
import {
  type Message,
  messagesOf,
  openTamperedLog,
  type TamperedLog,
} from "./testing/tampered-log.ts";
import { verifyLog } from "./verify-log.ts";
import type { Witness } from "./witness.ts";

const organization = newOrganizationIn(0, 2);
const first = { organization, id: newId("policy") };
const second = { organization, id: newId("policy") };

let original: TestReadModels;
let tampered: TamperedLog;
let witness: Witness;
/** The honest log: the commits of two aggregates take turns, so the first has 1, 3, 5, 7 and the second 2, 4, 6. */
let honest: readonly Message[];

beforeAll(async () => {
  original = await openTestReadModels({ shards: 2 });
  let last;
  for (const key of [first, second, first, second, first, second, first]) {
    last = await execute(original.store, counter, key, setMode("a"), testMeta());
  }
  await original.startProjector();
  if (last) await original.reached(last.position);
  witness = auditWitness(original.sql);
  honest = await messagesOf(original.store);
  tampered = await openTamperedLog({ shards: 2 });
});
afterAll(async () => {
  await tampered[Symbol.asyncDispose]();
  await original[Symbol.asyncDispose]();
});

const at = (sequence: number): Message => honest[sequence - 1] ?? expect.unreachable();
const hash = (sequence: number): string => hashOf(at(sequence).data);
const commitOf = ({ data }: Message): Commit => JSON.parse(Buffer.from(data).toString()) as Commit;
const holding = (message: Message, commit: Commit): Message => ({
  ...message,
  data: Buffer.from(JSON.stringify(commit)),
});

/** As if the actor of a commit had been somebody else. */
const blamed = (message: Message, changes: Partial<Commit["meta"]> = {}): Message => {
  const commit = commitOf(message);
  const actor = { kind: "user", id: "usr_scapegoat", via: "http" } as const;
  return holding(message, { ...commit, meta: { ...commit.meta, actor, ...changes } });
};

/** Written by somebody who does not tell what the messages follow. */
const silent = (messages: readonly Message[]): readonly Message[] =>
  messages.map(({ subject, data }) => ({ subject, data }));

const without = (...sequences: readonly number[]) =>
  honest.filter((_, index) => !sequences.includes(index + 1));
const withInPlace = (sequence: number, message: Message) => honest.with(sequence - 1, message);

type Told = readonly [FaultKind, string, string | null, string | null];

const verified = async (
  messages: readonly Message[],
  options: { readonly holes?: readonly number[]; readonly witness?: Witness } = {},
) => {
  await tampered.fill(messages, options.holes);
  return verifyLog(tampered.store, { witness: options.witness });
};

const faultsOf = async (...given: Parameters<typeof verified>): Promise<readonly Told[]> => {
  const { ok, faults } = await verified(...given);
  expect(ok).toBe(faults.length === 0);
  return faults.map(({ kind, position, expected, named }) => [kind, position, expected, named]);
};

describe("verifying a log", () => {
  it("finds nothing in the one that was written, nor in a true copy", async () => {
    const counts = { ok: true, commits: 7, aggregates: 2, faults: [] };
    expect(await verifyLog(original.store, { witness })).toEqual(counts);
    expect(await verified(honest, { witness })).toEqual(counts);
  });

  it("names the commit that was changed, and whose it is", async () => {
    const changed = blamed(at(3));
    const fault = ["changed", "0:3", hash(3), hashOf(changed.data)];
    expect(await faultsOf(withInPlace(3, changed), { witness })).toEqual([fault]);
    // What its successor says is enough.
    expect(await faultsOf(withInPlace(3, changed))).toEqual([fault]);
    expect((await verified(withInPlace(3, changed))).faults[0]?.aggregate).toEqual({
      ...first,
      aggregate: "policy",
    });
    expect(await faultsOf(silent(withInPlace(3, changed)))).toEqual([
      ["changed_or_removed", "0:5", hashOf(changed.data), hash(3)],
    ]);
  });

  it("names the newest commit that was changed, which only a witness knows", async () => {
    const changed = blamed(at(7));
    expect(await faultsOf(withInPlace(7, changed))).toEqual([]);
    expect(await faultsOf(withInPlace(7, changed), { witness })).toEqual([
      ["changed", "0:7", hash(7), hashOf(changed.data)],
    ]);
  });

  it("names the commits of a history that was written anew and holds in itself", async () => {
    const fifth = blamed(at(5));
    const seventh = holding(at(7), {
      ...commitOf(at(7)),
      meta: { ...commitOf(at(7)).meta, prev: hashOf(fifth.data) },
    });
    const forged = honest.with(4, fifth).with(6, seventh);
    expect(await faultsOf(forged)).toEqual([]);
    expect(await faultsOf(forged, { witness })).toEqual([
      ["changed", "0:5", hash(5), hashOf(fifth.data)],
      ["changed", "0:7", hash(7), hashOf(seventh.data)],
    ]);
  });

  it("names the commit that was taken out, and the hole that it left", async () => {
    const removed = ["removed", "0:3", hash(3), null];
    const gap = ["gap", "0:3", null, null];
    expect(await faultsOf(honest, { holes: [3], witness })).toEqual([gap, removed]);
    expect(await faultsOf(honest, { holes: [3] })).toEqual([gap, removed]);
    // In a log that was written anew without it, there is no hole.
    expect(await faultsOf(silent(without(3)), { witness })).toEqual([removed]);
    expect(await faultsOf(silent(without(3)))).toEqual([
      ["changed_or_removed", "0:4", hash(1), hash(3)],
    ]);
  });

  it("finds that the end was cut off, of the log and of one aggregate", async () => {
    expect(await faultsOf(without(6, 7))).toEqual([]);
    expect(await faultsOf(without(6, 7), { witness })).toEqual([
      ["removed", "0:6", hash(6), null],
      ["removed", "0:7", hash(7), null],
    ]);
    expect(await faultsOf(honest, { holes: [7], witness })).toEqual([
      ["gap", "0:7", null, null],
      ["removed", "0:7", hash(7), null],
    ]);
    expect(await faultsOf(silent(without(2, 4, 6)), { witness })).toEqual([
      ["removed", "0:2", hash(2), null],
      ["removed", "0:4", hash(4), null],
      ["removed", "0:6", hash(6), null],
    ]);
    expect(await faultsOf([], { witness })).toHaveLength(7);
  });

  it("names the commit that was moved before its predecessor", async () => {
    const moved = silent(honest.with(2, at(5)).with(4, at(3)));
    const fault = ["reordered", "0:3", hash(1), hash(3)];
    expect(await faultsOf(moved)).toEqual([fault]);
    expect(await faultsOf(moved, { witness })).toEqual([fault]);
  });

  it("names the commit that stands there twice", async () => {
    const twice = silent([...honest.slice(0, 5), at(3), ...honest.slice(5)]);
    const fault = ["repeated", "0:6", hash(5), hash(1)];
    expect(await faultsOf(twice)).toEqual([fault]);
    expect(await faultsOf(twice, { witness })).toEqual([fault]);
  });

  it("names a commit that was slipped in", async () => {
    const slipped = blamed(at(3), { commandId: "cmd_slipped_in" });
    expect(await faultsOf(silent([...honest.slice(0, 3), slipped, ...honest.slice(3)]))).toEqual([
      ["forked", "0:4", hash(3), hash(1)],
    ]);
    const other = holding(
      { ...at(1), subject: at(1).subject.replace(first.id, newId("policy")) },
      { ...commitOf(at(1)), meta: { ...commitOf(at(1)).meta, prev: genesisHash } },
    );
    expect(await faultsOf(silent(withInPlace(2, other)), { witness })).toContainEqual([
      "added",
      "0:2",
      null,
      hashOf(other.data),
    ]);
  });

  it("names what is no commit, and what stands in the wrong shard, and goes on", async () => {
    const garbled = { ...at(5), data: Buffer.from("not JSON") };
    expect(await faultsOf(withInPlace(5, garbled))).toEqual([
      ["unreadable", "0:5", null, hashOf(garbled.data)],
      ["changed", "0:5", hash(5), hashOf(garbled.data)],
    ]);
    const foreign = { ...at(1), subject: `evt.0.${newOrganizationIn(1, 2)}.policy.${first.id}` };
    const nobody = { ...at(1), subject: "evt.0.nothing" };
    expect(await faultsOf([...honest, foreign, nobody], { witness })).toEqual([
      ["misplaced", "0:8", null, hash(1)],
      ["unreadable", "0:9", null, hash(1)],
    ]);
  });

  it("looks at one aggregate or organisation when asked to", async () => {
    await tampered.fill(honest, [3]);
    const scopeOf = (id: string) => ({ aggregate: { type: null, id } });
    expect(await verifyLog(tampered.store, { scope: scopeOf(second.id), witness })).toMatchObject({
      ok: true,
      commits: 3,
      aggregates: 1,
    });
    const { faults } = await verifyLog(tampered.store, { scope: scopeOf(first.id), witness });
    expect(faults.map(({ kind, position }) => [kind, position])).toEqual([["removed", "0:3"]]);
    expect(await verifyLog(tampered.store, { scope: { organization }, witness })).toMatchObject({
      commits: 6,
      faults: [{ kind: "removed" }],
    });
  });
});
