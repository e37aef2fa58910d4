import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId, type OrganizationId } from "#contracts/ids";
import { exportHistory } from "#event-store/audit/export-history";
import { verifyLog } from "#event-store/audit/verify-log";
import { lastSequence } from "#event-store/reading/commit-feed";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { loadAggregate } from "#event-store/aggregates/load";
import { formatPosition } from "#event-store/position";
import { subjectOf } from "#event-store/sharding";
import { commitsBetweenSnapshots } from "#event-store/aggregates/snapshots";
import { awaitSnapshot } from "#event-store/testing/await-snapshot";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { createTestDatabase, type TestDatabase } from "#infra/testing/test-database";
import { auditWitness } from "#projections/audit/witness";
import { compareSchemas } from "#projections/compare-schemas";
import { openDatabase } from "#projections/database";
import { listMessages } from "#projections/messages/queries";
import { readModels } from "#projections/read-models";
import { replayInto } from "#projections/replay";
import { type Projector, startProjector } from "#projections/runtime/projector";
import { openProgress } from "#projections/wait-for-position";
import { openDataKeys, prepareDataKeys } from "../secrets/data-keys.ts";
import { deriveKeys } from "../secrets/keys.ts";
import { queuePrompt } from "../sessions/commands.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import { createTrigger } from "../triggers/commands.ts";
import { type ErasureStep, eraseText } from "./erase-text.ts";
import { placesOf } from "./testing/search.ts";
import { messageOf, recordMessage, talk } from "./testing/talkative-session.ts";

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const operator = { kind: "user", id: "alice", via: "cli" } as const;
const meta = () => newCommandMeta({ actor: operator });
const secret = "the zebra crosses at midnight";
const harmless = "an ordinary conversation";

let nats: TestEventStore;
let database: TestDatabase;
let sql: Sql;
let store: EventStore;
let projector: Projector;
let folder: string;
let organization: OrganizationId;

/** Two processes have keys of their own, and remember them for a while. */
const openVault = () => {
  const { dataKeyWrapping } = deriveKeys("01".repeat(32));
  return openDataKeys({ sql, wrappingKey: dataKeyWrapping, lifetimeMs: 200 });
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "proliferate-test-erase-"));
  nats = await openTestEventStore();
  database = await createTestDatabase();
  sql = openDatabase({ url: database.url });
  await prepareDataKeys(sql);
  store = { ...nats.store, dataKeys: openVault() };
  organization = newId("organization");
  projector = await startProjector({
    store,
    openSql: (schema) =>
      openDatabase({ url: database.url, maxConnections: 1, ...(schema && { schema }) }),
    projections: readModels,
    log: silent,
    standbyMs: 50,
  });
});
afterEach(async () => {
  await projector.stop();
  await sql.end({ timeout: 5 });
  await database.drop();
  await nats.close();
  await rm(folder, { recursive: true, force: true });
});

/** Waits until the read models have come to the end of the log. */
const projected = async (): Promise<void> => {
  await using progress = await openProgress(sql);
  const end = formatPosition(0, await lastSequence(store, 0));
  expect(await progress.waitForPosition(end, { timeoutMs: 30_000 })).toBe(end);
};

/** The operator's process. */
const eraserOf = (onStep?: (step: ErasureStep) => void) => {
  const vault = openVault();
  return { store: { ...nats.store, dataKeys: vault }, vault, ...(onStep && { onStep }) };
};

/** What `projections verify` does. */
const replayed = async () => {
  await replayInto({ store, databaseUrl: database.url, schema: "replayed" });
  return compareSchemas(sql, ["public", "replayed"]);
};

const exported = async (): Promise<string> => {
  const path = join(folder, `${newId("command")}.ndjson`);
  await exportHistory(store, { organization, path });
  return readFile(path, "utf8");
};

describe("erasing text", { timeout: 120_000 }, () => {
  it("of a session leaves it nowhere, and the history and everybody else's text whole", async () => {
    const place = { store, organization };
    const doomed = await talk(place, secret, commitsBetweenSnapshots + 1);
    const transcript = { organization, aggregate: "transcript", id: doomed } as const;
    const snapshot = () => store.snapshots.get(subjectOf(transcript, 1));
    await awaitSnapshot(store, transcript);
    const kept = await talk(place, harmless);
    await projected();
    // In the read models, and where copies are kept; in the log and its snapshots it never was.
    expect(await placesOf(store, sql, secret)).toEqual([
      "INBOX",
      "LIVE",
      "public.invocations",
      "public.messages",
      "public.runs",
      "public.sessions",
    ]);
    expect(await exported()).not.toContain(secret);

    const erasure = await eraseText(eraserOf(), { organization, session: doomed }, operator);
    expect(erasure).toMatchObject({ sessions: 1, aggregates: 7, unsealedEvents: 0 });
    expect(erasure.key.by).toBe("alice");
    expect(await snapshot()).toMatchObject({ operation: "PURGE" });
    await projected();
    expect(await placesOf(store, sql, secret)).toEqual([]);
    expect(await exported()).not.toContain(secret);
    expect(await verifyLog(store, { witness: auditWitness(sql) })).toMatchObject({ ok: true });

    const texts = await placesOf(store, sql, harmless);
    expect(texts).toContain("public.messages");
    const { state } = await loadAggregate(store, sessionAggregate, { organization, id: kept });
    expect(state).toMatchObject({ title: harmless });
    expect(await replayed()).toMatchObject({ identical: true, differences: [] });
  });

  it("leaves a session that can be loaded and deleted, and takes no text any more", async () => {
    const place = { store, organization };
    const session = await talk(place, secret);
    await eraseText(eraserOf(), { organization, session }, operator);
    const key = { organization, id: session };
    const { state } = await loadAggregate(store, sessionAggregate, key);
    expect(state).toMatchObject({ status: "stopped", title: "[erased]" });
    const again = await execute(store, sessionAggregate, key, { type: "DeleteSession" }, meta());
    expect(again.changed).toBe(false);
    const deps = { store, log: silent, defaultModel: "test/model" };
    const prompt = { text: secret, by: "usr_test", idempotencyKey: null };
    await expect(
      queuePrompt(deps, { organization, session }, prompt, meta()),
    ).rejects.toMatchObject({ code: "session_stopped" });

    // What an owner that was slow to stop still has to say.
    await recordMessage(place, session, messageOf("msg_late", secret));
    await projected();
    const messages = await listMessages(sql, { organization, session });
    expect(messages.at(-1)).toMatchObject({
      id: "msg_late",
      parts: [{ kind: "text", text: "[erased]" }],
      failure: { code: "agent_failed", message: "[erased]" },
    });
    expect(await placesOf(store, sql, secret)).toEqual([]);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it("goes on where it was cut off, wherever that was", async () => {
    const session = await talk({ store, organization }, secret);
    for (const cut of ["erase_key", "wait", "mark", "remove_copies"] as const) {
      const dying = eraserOf((step) => {
        if (step === cut) throw new Error(`killed before ${step}`);
      });
      await expect(eraseText(dying, { organization, session }, operator)).rejects.toThrow("killed");
    }
    const end = await lastSequence(store, 0);
    const erasure = await eraseText(
      eraserOf(),
      { organization, session },
      { ...operator, id: "bob" },
    );
    expect(erasure).toMatchObject({ key: { by: "alice" }, aggregates: 7 });
    // The last step was the only one that was left.
    expect(await lastSequence(store, 0)).toBe(end);
    await projected();
    expect(await placesOf(store, sql, secret)).toEqual([]);
    expect(await verifyLog(store, { witness: auditWitness(sql) })).toMatchObject({ ok: true });
  });

  it("of an organisation takes all of its text, and none of another one's", async () => {
    const other = newId("organization");
    const secrets = { put: () => Promise.resolve(), get: () => Promise.resolve("") };
    const trigger = {
      name: secret,
      provider: "custom",
      filter: { [secret]: secret },
      prompt: secret,
      repository: null,
      session: null,
      createdBy: "usr_test",
    } as const;
    await createTrigger({ store, secrets }, organization, trigger, meta());
    await talk({ store, organization }, secret);
    await talk({ store, organization }, secret);
    await talk({ store, organization: other }, harmless);
    const erasure = await eraseText(eraserOf(), { organization, session: null }, operator);
    expect(erasure).toMatchObject({ sessions: 2, aggregates: 15, unsealedEvents: 0 });
    // New text is not kept either.
    await createTrigger({ store, secrets }, organization, trigger, meta());
    await projected();
    expect(await placesOf(store, sql, secret)).toEqual([]);
    expect(await placesOf(store, sql, harmless)).toContain("public.messages");
    expect(await verifyLog(store, { witness: auditWitness(sql) })).toMatchObject({ ok: true });
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it("tells how much text stands in the log in the open, which it cannot erase", async () => {
    const before = { store: nats.store, organization };
    const session = await talk(before, secret);
    const erasure = await eraseText(eraserOf(), { organization, session }, operator);
    expect(erasure.unsealedEvents).toBeGreaterThan(10);
    await projected();
    expect(await placesOf(store, sql, secret)).toEqual(["EVENTS_0"]);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it("is refused for a session that is not there", async () => {
    const target = { organization, session: newId("session") };
    await expect(eraseText(eraserOf(), target, operator)).rejects.toMatchObject({
      code: "session_not_found",
    });
  });
});
