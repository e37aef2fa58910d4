import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AggregateRef } from "#contracts/commit";
import { newId } from "#contracts/ids";
import { execute } from "../aggregates/execute.ts";
import { exportHistory } from "../audit/export-history.ts";
import { importHistory } from "../audit/import-history.ts";
import { newCommandMeta } from "../command-meta.ts";
import type { EventStore } from "../event-store.ts";
import { parsePosition } from "../position.ts";
import { hashOf } from "../reading/recorded.ts";
import { streamOf, subjectOf } from "../sharding.ts";
import { counter, setMode } from "../testing/counter.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";
import { startReactor } from "../workers/reactor.ts";
import { type Traceparent, traceparentHeader } from "./tracing.ts";

const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let log: TestEventStore;
let store: EventStore;
let folder: string;
beforeAll(async () => {
  log = await openTestEventStore();
  ({ store } = log);
  folder = await mkdtemp(join(tmpdir(), "proliferate-trace-"));
});
afterAll(async () => {
  await log.close();
  await rm(folder, { recursive: true, force: true });
});

const newKey = () => ({ organization: newId("organization"), id: "one" });

/** Carries a command out, and answers the message that it became. */
const stored = async (key: ReturnType<typeof newKey>, traced: Traceparent | undefined) => {
  const actor = { kind: "service", id: "test", via: "test" } as const;
  const meta = newCommandMeta({ actor, trace: traced });
  const { position } = await execute(store, counter, key, setMode(newId("event")), meta);
  const { shard, sequence } = parsePosition(position);
  const message = await store.jsm.streams.getMessage(streamOf(shard), { seq: sequence });
  if (message === null) throw new Error(`There is nothing at ${position}.`);
  return message;
};

it("puts the trace of a command into the header and nowhere else, also where this process records none", async () => {
  const key = newKey();
  const plain = await stored(key, undefined);
  const traced = await stored(key, trace);
  expect(plain.header.has(traceparentHeader)).toBe(false);
  expect(traced.header.get(traceparentHeader)).toBe(trace);
  expect(new TextDecoder().decode(traced.data)).not.toContain("trace");
  expect(Object.keys(traced.json<{ meta: object }>().meta)).toEqual(
    Object.keys(plain.json<{ meta: object }>().meta),
  );
});

it("hands the trace to reactors, and none where there is none", async () => {
  const key = newKey();
  const traces = new Map<number, Traceparent | undefined>();
  const reactor = await startReactor(store, {
    name: "traces",
    aggregates: ["policy"],
    log: silent,
    react: ({ ref, sequence, trace: given }) => {
      if (ref.organization === key.organization) traces.set(sequence, given);
      return Promise.resolve();
    },
  });
  const plain = await stored(key, undefined);
  const traced = await stored(key, trace);
  await expect.poll(() => traces.size, { timeout: 30_000 }).toBe(2);
  await reactor.stop();
  expect(traces.get(plain.seq)).toBeUndefined();
  expect(traces.get(traced.seq)).toBe(trace);
});

it("exports and imports a history with traces as one without", async () => {
  const key = newKey();
  const first = await stored(key, trace);
  await stored(key, trace);
  const path = join(folder, "history.ndjson");
  await exportHistory(store, { organization: key.organization, path });
  expect(await readFile(path, "utf8")).not.toContain(trace);

  const other = await openTestEventStore();
  try {
    expect(await importHistory(other.store, path)).toMatchObject({ commits: 2, found: 0 });
    const ref: AggregateRef = { ...key, aggregate: "policy" };
    const subject = subjectOf(ref, other.store.shards);
    const [copied, last] = await Promise.all([
      other.store.jsm.streams.getMessage(streamOf(0), { seq: 1 }),
      other.store.jsm.streams.getMessage(streamOf(0), { last_by_subj: subject }),
    ]);
    if (copied === null || last === null) throw new Error("Nothing was imported.");
    expect(hashOf(copied.data)).toBe(hashOf(first.data));
    expect(last.json<{ meta: { prev: string } }>().meta.prev).toBe(hashOf(first.data));
    expect(copied.header.has(traceparentHeader)).toBe(false);
  } finally {
    await other.close();
  }
});
