/** Unused sessions on a real log with real timers, with days that last a second. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { derivedId, newId, type OrganizationId, type SessionId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { openLeases } from "#event-store/leases/leases";
import { loadAggregate } from "#event-store/aggregates/load";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { startTimerWorker, type TimerHandler } from "#event-store/timers/timers";
import { announceWatched } from "#event-store/live/watch-presence";
import { noSources } from "../../actions/testing/no-sources.ts";
import { changeOrganization } from "../../organization/commands.ts";
import { runningStack } from "../../running.ts";
import { setAutoDelete } from "../commands.ts";
import { createSession } from "../creation/create-session.ts";
import { sessionAggregate } from "../aggregate/decider.ts";
import { startFollowingOrganizations } from "./follow-organization.ts";
import { retentionTimer } from "./looks.ts";
import { lookForUnused, startRetentionWatch } from "./retention-watch.ts";

const patience = { timeout: 30_000, interval: 50 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const organization = newId("organization");
const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

let test: TestEventStore;
let deps: Parameters<typeof createSession>[0];
let look: TimerHandler;
/** How often each session was looked at. */
const looks = new Map<string, number>();
const started = runningStack();
beforeAll(async () => {
  test = await openTestEventStore();
  deps = { store: test.store, registry: noSources, log, defaultModel: "claude-sonnet-4.6" };
  const retention = {
    store: test.store,
    leases: await openLeases(test.store, "runtime"),
    deploymentDays: 1,
    dayMs: 1_000,
    log,
  };
  look = lookForUnused(retention);
  const counting: TimerHandler = async (timer) => {
    await look(timer);
    const session = String(timer.data["session"]);
    looks.set(session, (looks.get(session) ?? 0) + 1);
  };
  started.add(await startRetentionWatch(retention));
  started.add(await startFollowingOrganizations(retention));
  started.add(
    await startTimerWorker(test.store, { handlers: { [retentionTimer]: counting }, log }),
  );
});
afterAll(async () => {
  await started.stop();
  await test.close();
});

const stateOf = async (session: SessionId, of = organization) => {
  const { state } = await loadAggregate(test.store, sessionAggregate, {
    organization: of,
    id: session,
  });
  if (state.status === "none") throw new Error("There is no such session.");
  return state;
};

const open = async (
  key: string,
  prompt: string | null = null,
  of: OrganizationId = organization,
): Promise<SessionId> => {
  const { sessionId } = await createSession(
    deps,
    {
      organization: of,
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

const setRule = (of: OrganizationId, days: number | null) =>
  changeOrganization(test.store, of, { type: "SetAutoDeleteDefault", days }, meta());

it("an organisation's shorter time reaches the sessions that rest already, but for those with their own", async () => {
  const careful = newId("organization");
  await setRule(careful, null);
  const resting = await open("resting", null, careful);
  const kept = await open("kept", null, careful);
  await setAutoDelete(deps, { organization: careful, session: kept }, null, meta());

  await setRule(careful, 1);
  await vi.waitFor(async () => {
    expect(await stateOf(resting, careful)).toMatchObject({ status: "stopped" });
  }, patience);
  const later = await open("later", null, careful);
  await vi.waitFor(async () => {
    expect(await stateOf(later, careful)).toMatchObject({ status: "stopped" });
  }, patience);
  expect((await stateOf(kept, careful)).status).toBe("pending");
});

it("a timer that an organisation's former rule has set deletes nothing that stays by the present one", async () => {
  const generous = newId("organization");
  await setRule(generous, 3_650);
  const session = await open("generous", null, generous);
  await look({
    key: `${retentionTimer}.${session}`,
    kind: retentionTimer,
    data: { organization: generous, session, after: null },
    dueAt: new Date().toISOString(),
    firingId: newId("command"),
  });
  expect((await stateOf(session, generous)).status).toBe("pending");
});
