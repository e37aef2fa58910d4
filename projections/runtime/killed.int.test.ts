import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { startTestProcess, type TestProcess } from "#event-store/testing/child-process";
import { compareSchemas } from "../compare-schemas.ts";
import { replayInto } from "../replay.ts";
import * as events from "../testing/events.ts";
import { killedModels } from "../testing/killed-models.ts";
import { openTestReadModels, type TestReadModels } from "../testing/test-read-models.ts";
import { prepareReadModels } from "./prepare.ts";

const patience = { timeout: 60_000, interval: 5 };
const testTimeoutMs = 240_000;

let models: TestReadModels;
let processes: TestProcess[];
let written: number;
let writing: Promise<void>;
let full: AbortController;
beforeEach(async () => {
  models = await openTestReadModels();
  await prepareReadModels(models.sql, killedModels);
  [processes, written, full] = [[], 0, new AbortController()];
});
afterEach(async () => {
  full.abort();
  await writing;
  await Promise.all(processes.map((child) => child.kill()));
  await models[Symbol.asyncDispose]();
});

const start = async (work: "project" | "rebuild", maxBatch: number): Promise<TestProcess> => {
  const child = await startTestProcess(
    new URL("../testing/projector-process.ts", import.meta.url),
    [work, models.natsUrl, models.databaseUrl, String(maxBatch)],
  );
  processes.push(child);
  return child;
};

/** Writes sessions with prompts and messages, one commit after the other, until the log is full. */
const keepWriting = async (): Promise<void> => {
  while (!full.signal.aborted) {
    const organization = newId("organization");
    const session = events.sessionRef(organization);
    const transcript = events.transcriptRef(organization, session.id);
    const prompt = newId("prompt");
    const { writer } = models;
    await writer.write(session, [events.sessionCreated(), events.promptQueued(prompt)]);
    await writer.write(transcript, [events.messageRecorded("m", "first")]);
    await writer.write(transcript, [events.messageRecorded("m", "second")]);
    await writer.write(session, [events.promptFinished(prompt)]);
    written += 4;
    await delay(2);
  }
};

/** How far the tally has come, and in which tables: all commits of the log are in the one shard. */
const tallyIn = async (schema: string): Promise<{ checkpoint: number; build: string }> => {
  const [row] = await models.sql<{ checkpoint: string; build: string }[]>`
    select checkpoint, build from ${models.sql(schema)}.projection_progress where model = 'tally'`;
  return { checkpoint: Number(row?.checkpoint ?? 0), build: row?.build ?? "" };
};

const comesTo = (checkpoint: number, schema = "public"): Promise<void> =>
  vi.waitFor(async () => {
    expect((await tallyIn(schema)).checkpoint).toBeGreaterThanOrEqual(checkpoint);
  }, patience);

const expectRowsOfReplay = async (): Promise<void> => {
  full.abort();
  await writing;
  await comesTo(written);
  await models.reached(`0:${written}` as Parameters<TestReadModels["reached"]>[0]);
  const schema = "replayed";
  const { store, sql, databaseUrl } = models;
  await replayInto({ store, databaseUrl, schema, projections: killedModels });
  const compared = await compareSchemas(sql, ["public", schema], { projections: killedModels });
  expect(compared).toMatchObject({ identical: true, differences: [] });
  const [tallied] = await sql<
    { commits: number }[]
  >`select sum(commits)::int as commits from tally`;
  const [audited] = await sql<{ commits: number }[]>`select count(*)::int as commits from audit`;
  expect([tallied?.commits, audited?.commits]).toEqual([written, written]);
};

it(
  "goes on in another process when the one that projects is killed",
  async () => {
    writing = keepWriting();
    const two = [await start("project", 50), await start("project", 50)];
    const saying = (state: string) => two.find(({ lines }) => lines.at(-1) === state);
    await vi.waitFor(() => {
      expect([saying("projecting"), saying("standby")]).not.toContain(undefined);
    }, patience);
    const [active, other] = [saying("projecting"), saying("standby")];
    await active?.kill();
    await comesTo(written + 20);
    await vi.waitFor(() => {
      expect(other?.lines.at(-1)).toBe("projecting");
    }, patience);
    await expectRowsOfReplay();
  },
  testTimeoutMs,
);

it(
  "loses and repeats nothing, however often and whenever its process is killed",
  async () => {
    writing = keepWriting();
    // small batches, so that most of its time is spent between two statements
    let next = await start("project", 5);
    for (let kills = 0; kills < 6; kills += 1) {
      const running = next;
      next = await start("project", 5);
      await comesTo((await tallyIn("public")).checkpoint + randomInt(1, 60));
      await running.kill();
    }
    await expectRowsOfReplay();
  },
  testTimeoutMs,
);

it(
  "goes on with a build that was killed, and swaps it in while commits arrive",
  async () => {
    writing = keepWriting();
    await start("project", 100);
    await vi.waitFor(() => {
      expect(written).toBeGreaterThan(600);
    }, patience);
    let [reached, build] = [0, ""];
    for (let kills = 0; kills < 3; kills += 1) {
      const building = await start("rebuild", 2);
      // it must not be over before it is killed: the swap waits for whoever reads the live tables
      await models.sql.begin(async (sql) => {
        await sql`select count(*) from tally`;
        await comesTo(reached + randomInt(20, 150), "public_next");
        await building.kill();
      });
      const built = await tallyIn("public_next");
      if (kills > 0) expect(built.build).toBe(build);
      [reached, build] = [built.checkpoint, built.build];
    }
    await models.sql`update tally set commits = -1`;
    const last = await start("rebuild", 200);
    await vi.waitFor(() => {
      expect(last.lines).toEqual(["rebuilt"]);
    }, patience);
    expect((await tallyIn("public")).build).toBe(build);
    await expectRowsOfReplay();
  },
  testTimeoutMs,
);
