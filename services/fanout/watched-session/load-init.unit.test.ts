import { pino } from "pino";
import { expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import type { SessionStatus } from "#contracts/session/view";
import { defaultLimits } from "../limits.ts";
import { loadInit } from "./load-init.ts";
import { ScriptedFeed } from "../testing/scripted-feed.ts";
import { WatchedSession } from "./watched-session.ts";

const key = { organizationId: newId("organization"), sessionId: newId("session") };

/** The status that a client is told when `paused` was sent live and the read model answers these in turn. */
const statusTold = async (...answers: (SessionStatus | null)[]) => {
  const feed = new ScriptedFeed();
  feed.publish(1, { type: "status", status: "paused", detail: null });
  const session = new WatchedSession({
    feed,
    limits: defaultLimits,
    log: pino({ level: "silent" }),
  });
  await session.ready;
  const init = await loadInit(session, key, {
    loadTranscript: () => Promise.resolve([]),
    loadStatus: () => Promise.resolve((answers.length > 1 ? answers.shift() : answers[0]) ?? null),
  });
  await session.close();
  return init?.frame.status ?? null;
};

it("waits for a read model that is behind the live channel", async () => {
  expect(await statusTold("running", "running", "paused")).toBe("paused");
});

it("believes a read model that goes on differing: not every status is sent live", async () => {
  expect(await statusTold("pending")).toBe("pending");
});

it("waits for a read model that has not heard of the session yet", async () => {
  expect(await statusTold(null, "paused")).toBe("paused");
});

it("finds no session where the read model has none", async () => {
  expect(await statusTold(null)).toBeNull();
});

it("asks for the transcript as far as it was recorded when the channel was opened", async () => {
  const feed = new ScriptedFeed();
  feed.recorded = "0.7" as Position;
  const session = new WatchedSession({
    feed,
    limits: defaultLimits,
    log: pino({ level: "silent" }),
  });
  await session.ready;
  const loadTranscript = vi.fn(() => Promise.resolve([]));
  await loadInit(session, key, { loadTranscript, loadStatus: () => Promise.resolve("paused") });
  await session.close();
  expect(loadTranscript).toHaveBeenCalledExactlyOnceWith(key.organizationId, key.sessionId, "0.7");
});
