import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { formatPosition } from "#event-store/position";
import { progressChannel } from "./runtime/announcement.ts";
import * as events from "./testing/events.ts";
import { openTestReadModels, type TestReadModels } from "./testing/test-read-models.ts";
import { openProgress, type Progress } from "./wait-for-position.ts";
import { prepareReadModels } from "./runtime/prepare.ts";
import { readModels } from "./read-models.ts";
import { getSession } from "./sessions/queries.ts";

const patience = { timeout: 30_000 };

let models: TestReadModels;
let progress: Progress;
beforeEach(async () => {
  models = await openTestReadModels();
  await prepareReadModels(models.sql, readModels);
  progress = await openProgress(models.sql);
});
afterEach(async () => {
  await progress.close();
  await models[Symbol.asyncDispose]();
});

it("answers when a write can be read, though the projector starts later", async () => {
  const ref = events.sessionRef(newId("organization"));
  const position = await models.writer.write(ref, [events.sessionCreated()]);
  const waiting = progress.waitForPosition(position, { timeoutMs: 30_000 });
  await models.startProjector();
  expect(await waiting).toBe(position);
  expect(await getSession(models.sql, ref)).not.toBeNull();
});

it("says where the read models stand when the time is over", async () => {
  expect(await progress.waitForPosition(formatPosition(0, 5), { timeoutMs: 20 })).toBe("0:0");
});

it("is woken by announcements of its own schema, shard and read models only", async () => {
  let answer: string | undefined;
  const waiting = progress
    .waitForPosition(formatPosition(0, 70), {
      models: ["sessions", "messages"],
      timeoutMs: 30_000,
    })
    .then((position) => {
      answer = position;
    });
  const told = (schema: string, shard: number, checkpoint: number, names: readonly string[]) =>
    models.sql.notify(
      progressChannel,
      JSON.stringify({ schema, shard, checkpoint, models: names }),
    );
  await told("replay_1", 0, 99, ["sessions", "messages"]);
  await told("public", 1, 99, ["sessions", "messages"]);
  await told("public", 0, 69, ["sessions", "messages"]);
  await told("public", 0, 99, ["audit", "messages"]);
  await models.sql.notify(progressChannel, "public/0:99");
  // the table still says 0, so only the announcements can bring this answer
  await vi.waitFor(async () => {
    await told("public", 0, 71, ["sessions"]);
    expect(answer).toBe("0:71");
  }, patience);
  await waiting;
});

it("finds out by itself when the listening connection is gone", async () => {
  await models.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where query ilike 'listen%' and datname = current_database()`;
  const ref = events.sessionRef(newId("organization"));
  const position = await models.writer.write(ref, [events.sessionCreated()]);
  const waiting = progress.waitForPosition(position, { timeoutMs: 30_000 });
  await models.startProjector();
  expect(await waiting).toBe(position);
});
