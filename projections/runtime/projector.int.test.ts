import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { append, type NewCommit } from "#event-store/append/append";
import { newOrganizationIn } from "#event-store/testing/organization-in";
import { readProjectionStatus } from "../status.ts";
import { messagesProjection } from "../messages/projection.ts";
import { listMessages } from "../messages/queries.ts";
import * as events from "../testing/events.ts";
import { cutOffWriters, tally } from "../testing/tally.ts";
import { openTestReadModels, type TestReadModels } from "../testing/test-read-models.ts";
import { prepareReadModels } from "./prepare.ts";
import type { ModelStatus, Projector } from "./projector.ts";

const patience = { timeout: 30_000 };

let models: TestReadModels;
beforeEach(async () => {
  models = await openTestReadModels({ shards: 2 });
});
afterEach(async () => {
  await models[Symbol.asyncDispose]();
});

const writeSessions = async (organization: string, count: number): Promise<void> => {
  await Promise.all(
    Array.from({ length: count }, () =>
      models.writer.write(events.sessionRef(organization), [events.sessionCreated()]),
    ),
  );
};

const talliedFor = async (organization: string): Promise<number> => {
  const [row] = await models.sql<{ commits: number }[]>`
    select commits from tally where organization_id = ${organization}`;
  return row?.commits ?? 0;
};

it("projects each commit exactly once, however many projectors run and wherever they stop", async () => {
  const [one, other] = [newOrganizationIn(0, 2), newOrganizationIn(1, 2)];
  await Promise.all([writeSessions(one, 150), writeSessions(other, 150)]);
  const options = { projections: [tally], maxBatch: 5 };
  const [first, second] = await Promise.all([
    models.startProjector(options),
    models.startProjector(options),
  ]);
  const checkpointsOf = async ({ status }: Projector): Promise<readonly number[]> =>
    (await status()).map(({ checkpoint }) => checkpoint);
  await Promise.all([writeSessions(one, 50), writeSessions(other, 50)]);
  await vi.waitFor(async () => {
    expect(await checkpointsOf(first)).toEqual([200, 200]);
    expect(await checkpointsOf(second)).toEqual([200, 200]);
  }, patience);
  await first.stop();
  expect((await first.status()).map(({ state }) => state)).toEqual(["stopped", "stopped"]);
  await Promise.all([writeSessions(one, 50), writeSessions(other, 50)]);

  await vi.waitFor(async () => {
    expect(await checkpointsOf(second)).toEqual([250, 250]);
  }, patience);
  expect(await Promise.all([talliedFor(one), talliedFor(other)])).toEqual([250, 250]);
});

it("loses and repeats nothing when its connection dies before the commit of a batch", async () => {
  const organization = newOrganizationIn(1, 2);
  await prepareReadModels(models.sql, [tally]);
  await cutOffWriters(models.sql, 3);
  const { status } = await models.startProjector({ projections: [tally], maxBatch: 5 });
  await writeSessions(organization, 60);

  await vi.waitFor(async () => {
    expect((await status())[1]).toMatchObject({ checkpoint: 60, lag: 0, state: "projecting" });
  }, patience);
  const [{ cuts } = { cuts: 0 }] = await models.sql<{ cuts: number }[]>`
    select last_value::int as cuts from cuts`;
  expect(cuts).toBeGreaterThan(3);
  expect(await talliedFor(organization)).toBe(60);
});

it("halts at the commit that cannot be projected, tells everybody, and goes on when it can", async () => {
  const organization = newOrganizationIn(0, 2);
  await prepareReadModels(models.sql, [tally]);
  await models.sql.unsafe("alter table tally add constraint poison check (commits < 8)");
  await writeSessions(organization, 20);
  const { status } = await models.startProjector({
    projections: [tally],
    maxBatch: 15,
    retryHaltedMs: 50,
  });
  const shardSeen = async () =>
    (await readProjectionStatus(models.store, models.sql)).models[0]?.shards[0];

  await vi.waitFor(async () => {
    expect(await shardSeen()).toMatchObject({
      state: "halted",
      checkpoint: 7,
      end: 20,
      lag: 13,
      problem: {
        code: "23514",
        message: expect.stringContaining("poison") as string,
        commit: {
          position: "0:8",
          aggregate: expect.stringMatching(/^session\/ses_/) as string,
          eventTypes: ["SessionCreated"],
        },
      },
    });
  }, patience);
  await vi.waitFor(async () => {
    expect((await status())[1]).toMatchObject({ state: "projecting", problem: null });
  }, patience);

  await models.sql.unsafe("alter table tally drop constraint poison");
  await vi.waitFor(async () => {
    expect(await shardSeen()).toMatchObject({ state: "projecting", lag: 0, problem: null });
  }, patience);
  expect(await talliedFor(organization)).toBe(20);
});

it("halts one shard at an event that it does not know, and goes on with the others", async () => {
  const [halted, healthy] = [newOrganizationIn(0, 2), newOrganizationIn(1, 2)];
  const session = newId("session");
  const transcript = events.transcriptRef(halted, session);
  await models.writer.write(transcript, [events.messageRecorded("msg_1", "before")]);
  const unknown: NewCommit = {
    v: 1,
    events: [{ id: newId("event"), type: "EventOfALaterVersion", v: 1, data: {} }],
    meta: {
      commandId: newId("command"),
      causationId: null,
      correlationId: newId("command"),
      actor: { kind: "service", id: "test", via: "test" },
      at: "2026-03-01T12:00:00.000Z",
    },
  };
  const ref = { ...transcript, aggregate: "policy", id: newId("policy") } as const;
  await append(models.store, ref, unknown, { expected: "new" });
  await models.writer.write(transcript, [events.messageRecorded("msg_2", "after")]);
  const { status } = await models.startProjector({ projections: [messagesProjection] });
  await models.writer.write(events.transcriptRef(healthy, newId("session")), [
    events.messageRecorded("msg_1", "elsewhere"),
  ]);

  const unknownEvent = {
    code: "event_unknown",
    commit: { position: "0:2", eventTypes: ["EventOfALaterVersion"] },
  };
  await vi.waitFor(async () => {
    expect(await status()).toMatchObject([
      { state: "halted", checkpoint: 1, lag: 2, problem: unknownEvent },
      { state: "projecting", checkpoint: 1, lag: 0, problem: null },
    ] satisfies Partial<Record<keyof ModelStatus, unknown>>[]);
  }, patience);
  const messages = await listMessages(models.sql, { organization: halted, session });
  expect(messages.map(({ id }) => id)).toEqual(["msg_1"]);
});

it("stops older programs once a new version has built its tables", async () => {
  const organization = newOrganizationIn(0, 2);
  const old = { projections: [tally] };
  const next = { projections: [{ ...tally, version: 2 }] };
  const outdated = await models.startProjector(old);
  await writeSessions(organization, 20);
  await vi.waitFor(async () => {
    expect(await talliedFor(organization)).toBe(20);
  }, patience);

  const { status } = await models.startProjector(next);
  await vi.waitFor(async () => {
    expect((await status())[0]).toMatchObject({ state: "projecting", checkpoint: 20 });
  }, patience);
  await writeSessions(organization, 1);
  await vi.waitFor(async () => {
    expect((await outdated.status())[0]).toMatchObject({
      state: "halted",
      problem: { code: "configuration_invalid" },
    });
    expect((await status())[0]).toMatchObject({ state: "projecting", checkpoint: 21 });
  }, patience);
  expect(await talliedFor(organization)).toBe(21);
  await expect(models.startProjector(old)).rejects.toThrow(
    expect.objectContaining({ code: "configuration_invalid" }),
  );
});
