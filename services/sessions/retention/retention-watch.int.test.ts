/** Unused sessions on a real log with real timers, with days that last a second. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { derivedId, newId, type SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { openLeases } from "#event-store/leases/leases";
import { loadAggregate } from "#event-store/aggregates/load";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { startTimerWorker, type TimerHandler } from "#event-store/timers/timers";
import { announceWatched } from "#event-store/live/watch-presence";
import { noSources } from "../../actions/testing/no-sources.ts";
import { runningStack } from "../../running.ts";
import { setAutoDelete } from "../commands.ts";
import { createSession } from "../create-session.ts";
import { sessionAggregate } from "../decider.ts";
import { lookForUnused, retentionTimer, startRetentionWatch } from "./retention-watch.ts";

const patience = { timeout: 30_000, interval: 50 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const organization = newId("organization");
const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

let test: TestEventStore;
let deps: Parameters<typeof createSession>[0];
/** How often each session was looked at. */
const looks = new Map<string, number>();
const started = runningStack();
beforeAll(async () => {
  test = await openTestEventStore();
  deps = { store: test.store, registry: noSources, log, defaultModel: "claude-sonnet-4.6" };
  const retention = {
    store: test.store,
    leases: await openLeases(test.store, "runtime"),
    defaultDays: 1,
    dayMs: 1_000,
    log,
  };
  const look = lookForUnused(retention);
  const counting: TimerHandler = async (timer) => {
    await look(timer);
    const session = String(timer.data["session"]);
    looks.set(session, (looks.get(session) ?? 0) + 1);
  };
  started.add(await startRetentionWatch(retention));
  started.add(
    await startTimerWorker(test.store, { handlers: { [retentionTimer]: counting }, log }),
  );
});
afterAll(async () => {
  await started.stop();
  await test.close();
});

const stateOf = async (session: SessionId) => {
  const { state } = await loadAggregate(test.store, sessionAggregate, {
    organization,
    id: session,
  });
  if (state.status === "none") throw new Error("There is no such session.");
  return state;
};

const open = async (key: string, prompt: string | null = null): Promise<SessionId> => {
  const { sessionId } = await createSession(
    deps,
    {
      organization,
      origin: { kind: "user", userId: newId("user") },
      repositories: [],
      prompt: prompt === null ? null : { text: prompt, by: "user" },
      idempotencyKey: key,
    },
    meta(),
  );
  return sessionId;
};

it("a session that nobody has used for so long is deleted, and its text is to be erased", async () => {
  const session = await open("unused");
  await vi.waitFor(async () => {
    expect(await stateOf(session)).toMatchObject({ status: "stopped", erasureRequested: true });
  }, patience);
});

it("a session that is asked something, watched, or to be kept stays", async () => {
  const asked = await open("asked", "Take your time");
  const watched = derivedId("session", organization, "watched");
  const watching = announceWatched(test.store, watched);
  await test.connection.flush();
  await open("watched");
  await vi.waitUntil(() => (looks.get(watched) ?? 0) >= 2 && looks.has(asked), patience);
  expect((await stateOf(watched)).status).toBe("pending");
  expect((await stateOf(asked)).status).toBe("pending");

  const looked = looks.get(watched) ?? 0;
  await setAutoDelete(deps, { organization, session: watched }, null, meta());
  watching.stop();
  await vi.waitUntil(() => (looks.get(watched) ?? 0) > looked, patience);
  expect((await stateOf(watched)).status).toBe("pending");
});
