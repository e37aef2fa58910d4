/** Idle sessions on a real log with real timers; no runner takes the sandboxes away here. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import type { SessionOrigin } from "#contracts/session/events";
import type { SessionCommand } from "#contracts/session/commands";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { type Leases, openLeases } from "#event-store/leases/leases";
import { loadAggregate } from "#event-store/aggregates/load";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { startTimerWorker, type TimerHandler } from "#event-store/timers/timers";
import { announceWatched } from "#event-store/live/watch-presence";
import { toolCallsAggregate } from "../../tools/decider.ts";
import { toolCallKey } from "../../tools/run-call.ts";
import type { Running } from "../../running.ts";
import { runningStack } from "../../running.ts";
import { sessionAggregate } from "../aggregate/decider.ts";
import { create } from "../testing/session-events.ts";
import { idleLookTimer, lookForIdle, startIdleWatch } from "./idle-watch.ts";

const patience = { timeout: 30_000, interval: 50 };
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const organization = newId("organization");
const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });

let test: TestEventStore;
let leases: Leases;
/** How often each session was looked at. */
const looks = new Map<string, number>();
const started: Running[] = [];
beforeAll(async () => {
  test = await openTestEventStore();
  leases = await openLeases(test.store, "runtime");
  const deps = { store: test.store, leases, idleMs: 1_000, log };
  const look = lookForIdle(deps);
  const counting: TimerHandler = async (timer) => {
    const handled = await look(timer);
    const session = String(timer.data["session"]);
    looks.set(session, (looks.get(session) ?? 0) + 1);
    return handled;
  };
  const stack = runningStack();
  started.push(stack);
  stack.add(await startIdleWatch(deps));
  stack.add(await startTimerWorker(test.store, { handlers: { [idleLookTimer]: counting }, log }));
});
afterAll(async () => {
  for (const running of started) await running.stop();
  await test.close();
});

const command = (session: SessionId, asked: SessionCommand) =>
  execute(test.store, sessionAggregate, { organization, id: session }, asked, meta());

const startSession = async (
  before: (session: SessionId) => Promise<void> | void = () => {},
  origin: SessionOrigin = create.origin,
) => {
  const session = newId("session");
  await before(session);
  await command(session, { ...create, origin });
  await command(session, { type: "AcquireOwnership", instance: "runner", epoch: 1 });
  await command(session, { type: "StartSandbox", epoch: 1, provider: "local" });
  await command(session, {
    type: "ReportSandboxReady",
    epoch: 1,
    sandboxId: "sandbox",
    agentSessionId: "agent",
    bootMs: 1,
    expiresAt: null,
  });
  return session;
};

const isToBePaused = async (session: SessionId): Promise<boolean> => {
  const { state } = await loadAggregate(test.store, sessionAggregate, {
    organization,
    id: session,
  });
  return state.status !== "none" && state.pause === "requested" && state.idlePause !== null;
};

const lookedAtThrice = (session: SessionId) =>
  vi.waitUntil(() => (looks.get(session) ?? 0) >= 3, patience);

it("a session without prompts and watchers is paused", async () => {
  const session = await startSession();
  await vi.waitUntil(() => isToBePaused(session), patience);
});

it("a session of an automation is paused at its first look", async () => {
  const session = await startSession(undefined, { kind: "automation", runId: newId("run") });
  await vi.waitUntil(() => isToBePaused(session), patience);
  expect(looks.get(session) ?? 1).toBe(1);
});

it("a session that is watched goes on until its last watcher has gone", async () => {
  let watching: ReturnType<typeof announceWatched> | undefined;
  const session = await startSession(async (id) => {
    watching = announceWatched(test.store, id);
    await test.connection.flush();
  });
  await lookedAtThrice(session);
  expect(await isToBePaused(session)).toBe(false);
  watching?.stop();
  await vi.waitUntil(() => isToBePaused(session), patience);
});

it("a session with a tool call that is carried out goes on until the call is over", async () => {
  const callId = "call-1";
  let lease: Awaited<ReturnType<Leases["acquire"]>> | undefined;
  const session = await startSession(async (id) => {
    lease = await leases.acquire(toolCallKey({ session: id, callId }), "gateway");
    await execute(
      test.store,
      toolCallsAggregate,
      { organization, id },
      {
        type: "ReceiveToolCall",
        callId,
        tool: "save_snapshot",
        toolSchemaVersion: 1,
        args: {},
        fingerprint: "f",
        now: new Date(0).toISOString(),
        quota: { limit: 1, windowMs: 1_000 },
      },
      meta(),
    );
  });
  await lookedAtThrice(session);
  expect(await isToBePaused(session)).toBe(false);
  // Its gateway has died: the call has no answer, and nobody is at it.
  await lease?.release();
  await vi.waitUntil(() => isToBePaused(session), patience);
});
