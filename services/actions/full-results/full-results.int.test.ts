import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import { readStoredCommits } from "#event-store/audit/stored-commits";
import { newCommandMeta } from "#event-store/command-meta";
import { lastSequence } from "#event-store/reading/commit-feed";
import { shardOf } from "#event-store/sharding";
import { startTimerWorker } from "#event-store/timers/timers";
import { getInvocation } from "#projections/invocations/queries";
import { eraseText } from "../../erasure/erase-text.ts";
import type { InvocationKey } from "../invocation/invocation-log.ts";
import { patience } from "../testing/action-world.ts";
import { actionTimerHandlers } from "../workers.ts";
import { fullResultLifetimeMs, maxFullResultBytes } from "./keep.ts";
import { readFullResult } from "./read.ts";
import { type FullResultWorld, startFullResultWorld } from "./testing/full-result-world.ts";

let world: FullResultWorld;
let session: SessionId;

beforeAll(async () => {
  world = await startFullResultWorld();
});
afterAll(() => world.close());

const secret = "the zebra crosses at midnight";
/** Too long for the log, which holds nothing of its end. */
const long = {
  api_key: "sk-very-secret",
  lines: [...Array<string>(400).fill("x".repeat(100)), secret],
};
const whole = { ...long, api_key: "[redacted]" };

const notFound = (reason: string) => ({ code: "full_result_not_found", fields: { reason } });
const operator = { kind: "user", id: "alice", via: "cli" } as const;

/** The invocation's events, with who caused each. */
const eventsOf = async ({ organization, id }: InvocationKey) => {
  const { store } = world.stack;
  const shard = shardOf(organization, store.shards);
  const scope = { organization, aggregate: { type: "invocation", id } } as const;
  const until = await lastSequence(store, shard);
  const found: { type: string; data: unknown; actor: unknown }[] = [];
  for await (const { commit } of readStoredCommits(store, { shard, scope, until })) {
    found.push(
      ...commit.events.map(({ type, data }) => ({ type, data, actor: commit.meta.actor })),
    );
  }
  return found;
};

describe("without the organisation's wish", () => {
  it("nothing is kept but what the log holds", async () => {
    session = await world.stack.createSession();
    const key = await world.executed(session, long);
    expect(await world.stateOf(key)).toMatchObject({ truncated: true, fullResult: null });
    expect(await world.rowsOf(key)).toEqual([]);
    await expect(world.read(session, key)).rejects.toMatchObject(notFound("not_kept"));
  });
});

describe("with the organisation's wish", () => {
  beforeAll(async () => {
    await world.setKeeping(true);
    session = await world.stack.createSession();
  });

  it("a result that was cut is kept sealed, without secrets, and shown as kept", async () => {
    const key = await world.executed(session, long);
    const bytes = Buffer.byteLength(JSON.stringify(whole));
    const kept = { status: "kept", attempt: 1, bytes };
    expect(await world.stateOf(key)).toMatchObject({ status: "completed", fullResult: kept });
    const [row, ...others] = await world.rowsOf(key);
    expect(others).toEqual([]);
    expect(row?.sealed.length).toBeGreaterThan(bytes);
    expect(row?.sealed.includes("zebra")).toBe(false);
    expect(JSON.stringify(await eventsOf(key))).not.toContain("zebra");
    await vi.waitFor(async () => {
      const view = await getInvocation(world.stack.sql, key);
      expect(view?.fullResult).toMatchObject(kept);
    }, patience);
    expect(await world.read(session, key)).toMatchObject({ status: 200, body: { result: whole } });
  });

  it("each reading is in the log with its reader, and none is answered that is not", async () => {
    const key = await world.executed(session, long);
    const readings = async () =>
      (await eventsOf(key)).filter(({ type }) => type === "FullResultRead");
    await world.read(session, key);
    const actor = { kind: "user", id: world.admin, via: "http" };
    const reading = { type: "FullResultRead", data: { by: world.admin }, actor };
    expect(await readings()).toEqual([reading]);
    await world.read(session, key);
    expect(await readings()).toEqual([reading, reading]);

    const { deps, store, fullResults } = world.stack;
    const get = vi.fn(fullResults.get);
    // More than a commit may hold, so that it cannot be recorded.
    const by = "x".repeat(1024 * 1024);
    const refused = readFullResult(
      { ...deps, store, fullResults: { get } },
      { ...key, sessionId: session, by },
      newCommandMeta({ actor: operator }),
    );
    await expect(refused).rejects.toMatchObject({ code: "commit_too_large" });
    expect(get).toHaveBeenCalledOnce();
    expect(await readings()).toHaveLength(2);
  });

  it("what was not cut is not kept twice, and what is too large not at all", async () => {
    const short = await world.executed(session, { ok: true });
    expect(await world.stateOf(short)).toMatchObject({ truncated: false, fullResult: null });
    await expect(world.read(session, short)).rejects.toMatchObject(notFound("not_cut"));

    // With its two quotes.
    const largest = await world.executed(session, "x".repeat(maxFullResultBytes - 2));
    expect(await world.stateOf(largest)).toMatchObject({
      fullResult: { status: "kept", bytes: maxFullResultBytes },
    });
    const tooLarge = await world.executed(session, "x".repeat(maxFullResultBytes - 1));
    const bytes = maxFullResultBytes + 1;
    expect(await world.stateOf(tooLarge)).toMatchObject({
      fullResult: { status: "too_large", bytes },
    });
    expect(await world.rowsOf(tooLarge)).toEqual([]);
    await expect(world.read(session, tooLarge)).rejects.toMatchObject(notFound("too_large"));
  });

  it("another session's path, or another organisation, leads to none of it", async () => {
    const key = await world.executed(session, long);
    const absent = { code: "invocation_not_found" };
    await expect(world.read(await world.stack.createSession(), key)).rejects.toMatchObject(absent);
    const { deps, store, fullResults } = world.stack;
    const stranger = { ...key, organization: newId("organization"), sessionId: null, by: "usr" };
    await expect(
      readFullResult(
        { ...deps, store, fullResults },
        stranger,
        newCommandMeta({ actor: operator }),
      ),
    ).rejects.toMatchObject(absent);
  });

  it("turning it off removes nothing early, and keeps nothing more", async () => {
    const before = await world.executed(session, long);
    await world.setKeeping(false);
    const after = await world.executed(session, long);
    expect(await world.stateOf(after)).toMatchObject({ truncated: true, fullResult: null });
    expect(await world.read(session, before)).toMatchObject({ body: { result: whole } });
    await world.setKeeping(true);
  });

  it("an executor that dies before it has recorded anything leaves no claim, and writes over nothing", async () => {
    const key = await world.approved(session);
    const alive = [newCommandMeta({ actor: operator })];
    const newMeta = () => {
      const meta = alive.pop();
      if (!meta) throw new Error("killed");
      return meta;
    };
    await expect(world.execute(key, long, { newMeta })).rejects.toThrow("killed");
    expect(await world.stateOf(key)).toMatchObject({ status: "executing", attempt: 1 });
    const orphans = await world.rowsOf(key);
    expect(orphans).toMatchObject([{ attempt: 1 }]);
    await expect(world.read(session, key)).rejects.toMatchObject(notFound("not_completed"));

    // It wakes up and writes once more; and what an attempt after it keeps is its own.
    const { fullResults } = world.stack;
    const attempt = (number: number) => ({ ...key, sessionId: session, attempt: number });
    const until = new Date(Date.now() + fullResultLifetimeMs);
    await fullResults.put(attempt(1), "late", until);
    await fullResults.put(attempt(2), "second", until);
    expect(await world.rowsOf(key)).toHaveLength(2);
    expect(await fullResults.get(attempt(1))).toBe(JSON.stringify(whole));
    expect(await fullResults.get(attempt(2))).toBe("second");
  });

  it.each([
    ["refuses", () => Promise.reject(new Error("the database is gone"))],
    ["gives no answer", () => new Promise<boolean>(() => undefined)],
  ])("a store that %s costs the full result, and not the outcome", async (_name, put) => {
    const key = await world.approved(session);
    await world.execute(key, long, { keep: { table: { put }, timeoutMs: 100 } });
    expect(await world.stateOf(key)).toMatchObject({
      status: "completed",
      truncated: true,
      fullResult: { status: "failed" },
    });
    await expect(world.read(session, key)).rejects.toMatchObject(notFound("failed"));
  });
});

describe("after its time", () => {
  it("it is not answered any more, and its timer removes it with all that is over", async () => {
    const { store, log, fullResults, organization } = world.stack;
    const kept = await world.executed(session, long);
    const brief = await world.approved(session);
    // Its timer got lost.
    const forgotten = { organization, sessionId: session, id: newId("invocation"), attempt: 1 };
    await fullResults.put(forgotten, "text", new Date(0));
    await world.execute(brief, long, { keep: { lifetimeMs: 1 } });
    expect(await world.rowsOf(brief)).toHaveLength(1);
    const handlers = actionTimerHandlers(store, fullResults);
    const timers = await startTimerWorker(store, { handlers, log });
    await vi.waitFor(async () => expect(await world.rowsOf(brief)).toEqual([]), patience);
    expect(await world.rowsOf(forgotten)).toEqual([]);
    expect(await world.rowsOf(kept)).toHaveLength(1);
    await timers.stop();

    world.stack.moveClock(fullResultLifetimeMs - 60_000);
    expect(await world.read(session, kept)).toMatchObject({ body: { result: whole } });
    world.stack.moveClock(60_000);
    const before = await eventsOf(kept);
    await expect(world.read(session, kept)).rejects.toMatchObject(notFound("expired"));
    expect(await eventsOf(kept)).toEqual(before);
  });
});

describe("after an erasure", () => {
  it.each([
    ["of its session", (id: SessionId) => id],
    ["of its organisation", () => null],
  ])("%s it cannot be opened, and no other is kept", async (_name, target) => {
    const own = await world.stack.createSession();
    const kept = await world.executed(own, long);
    const [late, sooner] = [await world.approved(own), await world.read(own, kept)];
    expect(sooner).toMatchObject({ body: { result: whole } });
    const { store, vault, organization } = world.stack;
    await eraseText({ store, vault }, { organization, session: target(own) }, operator);
    await expect(world.read(own, kept)).rejects.toMatchObject(notFound("erased"));
    // The bytes may still be there; nobody has their key.
    expect(await world.rowsOf(kept)).toHaveLength(1);
    await world.execute(late, long);
    expect(await world.stateOf(late)).toMatchObject({ status: "completed", fullResult: null });
    expect(await world.rowsOf(late)).toEqual([]);
  });
});
