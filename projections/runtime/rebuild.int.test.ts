import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import * as events from "../testing/events.ts";
import { tally } from "../testing/tally.ts";
import { openTestReadModels, silent, type TestReadModels } from "../testing/test-read-models.ts";
import { readProjectionStatus } from "../status.ts";
import type { Projection } from "./projection.ts";
import { rebuildReadModels, type RebuildProgress } from "./rebuild.ts";

const patience = { timeout: 30_000 };

let models: TestReadModels;
beforeEach(async () => {
  models = await openTestReadModels({ shards: 2 });
});
afterEach(async () => {
  await models[Symbol.asyncDispose]();
});

const organization = newId("organization");

const writeSessions = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    await models.writer.write(events.sessionRef(organization), [events.sessionCreated()]);
  }
};

const tallied = async (): Promise<number> => {
  const [row] = await models.sql<{ commits: number }[]>`
    select commits from tally where organization_id = ${organization}`;
  return row?.commits ?? 0;
};

/** The next version of the tally. It notes what it is given, and waits for the gate from a sequence on. */
const gatedTally = (gate: Promise<void>, from: number) => {
  const seen: number[] = [];
  const projection: Projection = {
    ...tally,
    version: 2,
    project: async (batch, sql) => {
      seen.push(...batch.map(({ sequence }) => sequence));
      if (batch.some(({ sequence }) => sequence >= from)) await gate;
      return tally.project(batch, sql);
    },
  };
  return { projection, seen };
};

it("builds a new version while the old one serves, goes on after a cut, and swaps", async () => {
  const old = await models.startProjector({ projections: [tally] });
  await writeSessions(30);
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const cut = new AbortController();
  const { projection, seen } = gatedTally(gate, 11);
  const progress: RebuildProgress[] = [];
  const options = { store: models.store, openSql: models.openSql, log: silent, maxBatch: 5 };
  const building = rebuildReadModels({
    ...options,
    projections: [projection],
    signal: cut.signal,
    progressed: (told) => progress.push(told),
  });
  await vi.waitFor(() => {
    expect(seen.length).toBeGreaterThanOrEqual(11);
    expect(progress.at(-1)).toMatchObject({ end: 30 });
  }, patience);
  await writeSessions(1);
  await vi.waitFor(async () => {
    expect(await tallied()).toBe(31);
  }, patience);
  const [seenByOthers] = (await readProjectionStatus(models.store, models.sql)).models;
  const built = seenByOthers?.rebuild?.shards.reduce((sum, shard) => sum + shard.checkpoint, 0);
  expect(seenByOthers).toMatchObject({ version: 1, rebuild: { version: 2 } });
  expect(built).toBeLessThan(11);
  cut.abort();
  open();
  await building;
  expect((await old.status()).map(({ state }) => state)).toEqual(["projecting", "projecting"]);

  let read = 0;
  let reading = true;
  const reader = (async () => {
    while (reading) {
      const now = await tallied();
      expect(now).toBeGreaterThanOrEqual(read);
      read = now;
    }
  })();
  const resumed = gatedTally(Promise.resolve(), 0);
  const { status } = await models.startProjector({
    projections: [resumed.projection],
    maxBatch: 5,
  });
  await vi.waitFor(async () => {
    const states = await status();
    expect(states.map(({ state }) => state)).toEqual(["projecting", "projecting"]);
  }, patience);
  await writeSessions(1);
  await vi.waitFor(async () => {
    expect(await tallied()).toBe(32);
  }, patience);
  reading = false;
  await reader;
  // what the first builder had written was not projected again
  expect(resumed.seen[0]).toBeGreaterThan(5);
  const versions = await models.sql`select version from projection_models`;
  expect(versions).toEqual([{ version: 2 }]);
  const older = { ...options, projections: [tally], signal: new AbortController().signal };
  await expect(rebuildReadModels(older)).rejects.toMatchObject({ code: "configuration_invalid" });
  expect(
    await models.sql`select tablename from pg_tables where schemaname = 'public_next'`,
  ).toEqual(["models", "progress", "reports"].map((name) => ({ tablename: `projection_${name}` })));
});

it("repairs the rows of the same version under a projector that is at work", async () => {
  const { status } = await models.startProjector({ projections: [tally], maxBatch: 5 });
  await writeSessions(20);
  await vi.waitFor(async () => {
    expect(await tallied()).toBe(20);
  }, patience);
  await models.sql`update tally set commits = 1000`;
  const writing = writeSessions(40);
  await rebuildReadModels({
    store: models.store,
    openSql: models.openSql,
    log: silent,
    projections: [tally],
    signal: new AbortController().signal,
  });
  await writing;
  await vi.waitFor(async () => {
    expect(await tallied()).toBe(60);
  }, patience);
  await vi.waitFor(async () => {
    expect(await status()).toMatchObject([
      { state: "projecting", problem: null },
      { state: "projecting", problem: null },
    ]);
  }, patience);
});

it("leaves the old tables alone when the new version cannot project a commit, and names it", async () => {
  await models.startProjector({ projections: [tally] });
  await writeSessions(12);
  const broken: Projection = {
    ...tally,
    version: 2,
    project: (batch, sql) => {
      if (batch.some(({ sequence }) => sequence === 9)) throw new TypeError("cannot read this");
      return tally.project(batch, sql);
    },
  };
  await expect(
    rebuildReadModels({
      store: models.store,
      openSql: models.openSql,
      log: silent,
      projections: [broken],
      signal: new AbortController().signal,
    }),
  ).rejects.toMatchObject({
    name: "CommitNotProjected",
    commit: { position: expect.stringMatching(/^[01]:9$/) as string },
  });
  const told = (await readProjectionStatus(models.store, models.sql)).models[0];
  expect(told?.rebuild?.shards).toContainEqual(
    expect.objectContaining({
      state: "halted",
      checkpoint: 8,
      problem: {
        code: "TypeError",
        message: "cannot read this",
        commit: expect.objectContaining({
          position: expect.stringMatching(/^[01]:9$/) as string,
        }) as unknown,
      },
    }),
  );
  await writeSessions(1);
  await vi.waitFor(async () => {
    expect(await tallied()).toBe(13);
  }, patience);
});
