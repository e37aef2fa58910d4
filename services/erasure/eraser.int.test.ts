import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { erasedText } from "#contracts/erasure/markers";
import { newId, type SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { loadAggregate } from "#event-store/aggregates/load";
import { openTestEventStore } from "#event-store/testing/test-event-store";
import { createTestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import { noSources } from "../actions/testing/no-sources.ts";
import { runningStack } from "../running.ts";
import { openDataKeys, prepareDataKeys } from "../secrets/data-keys.ts";
import { deriveKeys } from "../secrets/keys.ts";
import { deleteSession } from "../sessions/commands.ts";
import { createSession } from "../sessions/creation/create-session.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import { startEraser } from "./eraser.ts";

const patience = { timeout: 30_000, interval: 50 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const organization = newId("organization");
const meta = () => newCommandMeta({ actor: { kind: "user", id: "alice", via: "test" } });

let store: EventStore;
const started = runningStack();
beforeAll(async () => {
  const nats = await openTestEventStore();
  started.add({ stop: () => nats.close() });
  const database = await createTestDatabase();
  started.add({ stop: () => database.drop() });
  const sql = openDatabase({ url: database.url });
  started.add({ stop: () => sql.end() });
  await prepareDataKeys(sql);
  const wrappingKey = deriveKeys("01".repeat(32)).dataKeyWrapping;
  const vault = openDataKeys({ sql, wrappingKey, lifetimeMs: 200 });
  store = { ...nats.store, dataKeys: vault };
  started.add(await startEraser({ store, vault, log }));
});
afterAll(() => started.stop());

const open = async (): Promise<SessionId> => {
  const deps = { store, registry: noSources, log, defaultModel: "claude-sonnet-4.6" };
  const created = await createSession(
    deps,
    {
      organization,
      title: "The zebra crosses at midnight",
      origin: { kind: "user", userId: newId("user") },
      repositories: [],
      prompt: null,
      idempotencyKey: null,
    },
    meta(),
  );
  return created.sessionId;
};

const titleOf = async (id: SessionId): Promise<string | null> => {
  const { state } = await loadAggregate(store, sessionAggregate, { organization, id });
  return state.status === "none" ? null : state.title;
};

it("the text of a session goes when the session is deleted with it, and no other session's does", async () => {
  const deps = { store, log, defaultModel: "claude-sonnet-4.6" };
  const [erased, stopped, kept] = [await open(), await open(), await open()];
  await deleteSession(deps, { organization, session: stopped }, meta());
  await deleteSession(deps, { organization, session: erased }, meta(), { erase: true });
  await vi.waitFor(async () => expect(await titleOf(erased)).toBe(erasedText), patience);
  expect(await titleOf(stopped)).toBe("The zebra crosses at midnight");
  expect(await titleOf(kept)).toBe("The zebra crosses at midnight");

  // One that was deleted before can still be erased.
  await deleteSession(deps, { organization, session: stopped }, meta(), { erase: true });
  await vi.waitFor(async () => expect(await titleOf(stopped)).toBe(erasedText), patience);
  expect(await titleOf(kept)).toBe("The zebra crosses at midnight");
});
