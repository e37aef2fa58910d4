import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { append } from "#event-store/append/append";
import { auditProjection } from "../audit/projection.ts";
import { messagesProjection } from "../messages/projection.ts";
import { readProjectionStatus } from "../status.ts";
import * as events from "../testing/events.ts";
import { tally } from "../testing/tally.ts";
import { openTestReadModels, type TestReadModels } from "../testing/test-read-models.ts";
import { openProgress } from "../wait-for-position.ts";
import { prepareReadModels } from "./prepare.ts";
import type { ProjectedCommit } from "./projected-commit.ts";
import type { Projection } from "./projection.ts";
import type { Projector } from "./projector.ts";

const patience = { timeout: 30_000 };
const organization = newId("organization");

let models: TestReadModels;
beforeEach(async () => {
  models = await openTestReadModels();
});
afterEach(async () => {
  await models[Symbol.asyncDispose]();
});

const writeSessions = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    await models.writer.write(events.sessionRef(organization), [events.sessionCreated()]);
  }
};

const count = async (query: string): Promise<number> => {
  const [row] = await models.sql.unsafe<{ count: number }[]>(query);
  return row?.count ?? 0;
};
const tallied = () => count("select commits as count from tally");
const audited = () => count("select count(*)::int from audit");

const statusOf = async ({ status }: Projector) =>
  Object.fromEntries(
    (await status()).map(({ model, state, checkpoint }) => [model, [state, checkpoint]]),
  );

/** The same read model, which notes the batches that it is given. */
const noting = (projection: Projection) => {
  const batches: (readonly ProjectedCommit[])[] = [];
  const noted: Projection = {
    ...projection,
    project: (batch, sql) => {
      batches.push(batch);
      return projection.project(batch, sql);
    },
  };
  return { noted, batches };
};

it("halts one read model, while the others go on, and takes it in again when it has caught up", async () => {
  const [first, second] = [noting(tally), noting(auditProjection)];
  await prepareReadModels(models.sql, [tally, auditProjection]);
  await models.sql.unsafe("alter table tally add constraint poison check (commits < 8)");
  await writeSessions(20);
  const projector = await models.startProjector({
    projections: [first.noted, second.noted],
    maxBatch: 15,
    retryHaltedMs: 200,
  });
  await vi.waitFor(async () => {
    expect(await statusOf(projector)).toEqual({ tally: ["halted", 7], audit: ["projecting", 20] });
  }, patience);
  await writeSessions(1);
  await vi.waitFor(async () => {
    expect(await audited()).toBe(21);
  }, patience);
  // A projector tells others a moment after it knows itself.
  await vi.waitFor(async () => {
    const seen = await readProjectionStatus(models.store, models.sql);
    expect(seen.models).toMatchObject([
      { name: "audit", shards: [{ lag: 0, problem: null }] },
      { name: "tally", shards: [{ lag: 14, problem: { commit: { position: "0:8" } } }] },
    ]);
  }, patience);
  await using progress = await openProgress(models.sql);
  const wait = { timeoutMs: 0 };
  const end = await models.writer.write(events.sessionRef(organization), [events.sessionCreated()]);
  expect(await progress.waitForPosition(end, { ...wait, models: ["tally"] })).toBe("0:7");
  expect(await progress.waitForPosition(end, { timeoutMs: 30_000, models: ["audit"] })).toBe(end);
  expect(await progress.waitForPosition(end, wait)).toBe("0:7");

  await models.sql.unsafe("alter table tally drop constraint poison");
  await models.reached(end);
  await vi.waitFor(async () => {
    await writeSessions(1);
    // both are handed the very same commits: they were read once
    const shared = second.batches.filter((batch) => first.batches.includes(batch));
    expect(shared.at(-1)?.at(-1)?.sequence).toBeGreaterThan(22);
  }, patience);
  await vi.waitFor(async () => {
    expect(await tallied()).toBe(await audited());
  }, patience);
});

it("stops only the read models that need the data of an event which does not fit its schema", async () => {
  const session = newId("session");
  const transcript = events.transcriptRef(organization, session);
  await models.writer.write(transcript, [events.messageRecorded("msg_1", "before")]);
  await append(
    models.store,
    events.transcriptRef(organization, newId("session")),
    {
      v: 1,
      events: [{ id: newId("event"), type: "MessageRecorded", v: 1, data: { message: 7 } }],
      meta: {
        commandId: newId("command"),
        causationId: null,
        correlationId: newId("command"),
        actor: { kind: "service", id: "test", via: "test" },
        at: "2026-03-01T12:00:00.000Z",
      },
    },
    { expected: "new" },
  );
  await models.writer.write(transcript, [events.messageRecorded("msg_2", "after")]);
  const projector = await models.startProjector({
    projections: [messagesProjection, auditProjection],
  });
  await vi.waitFor(async () => {
    expect(await statusOf(projector)).toEqual({
      messages: ["halted", 1],
      audit: ["projecting", 3],
    });
  }, patience);
  const halted = (await projector.status()).find(({ model }) => model === "messages");
  expect(halted?.problem).toMatchObject({
    code: "event_invalid",
    commit: { position: "0:2", eventTypes: ["MessageRecorded"] },
  });
});

it("builds a read model that is new beside the others, which go on", async () => {
  const old = await models.startProjector({ projections: [auditProjection] });
  await writeSessions(30);
  await vi.waitFor(async () => {
    expect(await statusOf(old)).toEqual({ audit: ["projecting", 30] });
  }, patience);
  const projector = await models.startProjector({
    projections: [auditProjection, tally],
    maxBatch: 5,
  });
  await writeSessions(10);
  await vi.waitFor(async () => {
    expect(await statusOf(projector)).toMatchObject({ tally: ["projecting", 40] });
    expect([await audited(), await tallied()]).toEqual([40, 40]);
  }, patience);
});

it("gives each read model the checkpoint that a database of 0.1 had for all of them", async () => {
  const before = await models.startProjector({ projections: [tally, auditProjection] });
  await writeSessions(12);
  await vi.waitFor(async () => {
    expect([await audited(), await tallied()]).toEqual([12, 12]);
  }, patience);
  await before.stop();
  await models.sql.unsafe(`
    drop table projection_progress, projection_reports;
    create table projection_checkpoints (
      shard integer primary key, checkpoint bigint not null, models text not null);
    insert into projection_checkpoints values (0, 12, 'audit@1,tally@1');
    create table projection_conditions (
      shard integer primary key, state text not null, problem jsonb,
      checkpoint bigint not null, reported_at timestamptz(3) not null);`);
  await writeSessions(8);

  const options = { projections: [tally, auditProjection], maxBatch: 3 };
  await Promise.all([models.startProjector(options), models.startProjector(options)]);
  await vi.waitFor(async () => {
    expect([await audited(), await tallied()]).toEqual([20, 20]);
  }, patience);
  expect(
    await models.sql`
      select tablename from pg_tables where tablename in ('projection_checkpoints', 'projection_conditions')`,
  ).toEqual([]);
});
