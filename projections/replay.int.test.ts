import { afterEach, beforeEach, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { compareSchemas } from "./compare-schemas.ts";
import { dropReplay, replayInto } from "./replay.ts";
import * as events from "./testing/events.ts";
import { openTestReadModels, type TestReadModels } from "./testing/test-read-models.ts";

let models: TestReadModels;
beforeEach(async () => {
  models = await openTestReadModels({ shards: 2 });
});
afterEach(async () => {
  await models[Symbol.asyncDispose]();
});

it("replays the log into a fresh schema that is identical, and finds every difference", async () => {
  const { store, sql, writer, databaseUrl: url } = models;
  await models.startProjector({ maxBatch: 3 });
  const sessions = [];
  for (let index = 0; index < 4; index += 1) {
    const organization = newId("organization");
    const session = events.sessionRef(organization);
    const transcript = events.transcriptRef(organization, session.id);
    const prompt = newId("prompt");
    await writer.write(session, [events.sessionCreated(), events.promptQueued(prompt)]);
    for (const message of ["a", "b", "a", "c", "b"]) {
      await writer.write(transcript, [events.messageRecorded(message, `part of ${message}`)]);
    }
    await writer.write(events.invocationRef(organization), [events.actionInvoked(session.id)]);
    await models.reached(await writer.write(session, [events.promptFinished(prompt)]));
    sessions.push(session.id);
  }
  const [tampered, untouched] = sessions;

  const replayed = await replayInto({ store, databaseUrl: url, schema: "replay_1" });
  expect(replayed).toEqual({ commits: 4 * 8 });
  const whole = await compareSchemas(sql, ["public", "replay_1"]);
  // 4 sessions with their activity, 3 messages and 1 invocation, and the 32 commits in the audit
  expect(whole).toEqual({ identical: true, rows: 4 * (2 + 3 + 1) + 32, differences: [] });

  await sql`update messages set parts = '[]' where session_id = ${tampered ?? ""} and id = 'b'`;
  await sql`delete from invocations where session_id = ${tampered ?? ""}`;
  expect(
    await compareSchemas(sql, ["public", "replay_1"], { session: tampered ?? "" }),
  ).toMatchObject({
    identical: false,
    differences: [
      { table: "messages", onlyInFirst: 1, onlyInSecond: 1 },
      { table: "invocations", onlyInFirst: 0, onlyInSecond: 1 },
    ],
  });
  expect(
    await compareSchemas(sql, ["public", "replay_1"], { session: untouched ?? "" }),
  ).toMatchObject({ identical: true, rows: 2 + 3 + 1 + 7 });

  await expect(replayInto({ store, databaseUrl: url, schema: "replay_1" })).rejects.toThrow(
    expect.objectContaining({ code: "configuration_invalid" }),
  );
  await dropReplay(sql, "replay_1");
  await expect(sql`select * from replay_1.sessions`).rejects.toThrow("does not exist");
});
