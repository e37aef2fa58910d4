/** A tier that begins to follow a session when its new owner has said nothing yet. */
import { pino } from "pino";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId, type SessionId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import { execute } from "#event-store/aggregates/execute";
import { newCommandMeta } from "#event-store/command-meta";
import { publishLive, streamLive } from "#event-store/live/live-channel";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { transcriptAggregate } from "../../sessions/transcript/transcript-decider.ts";
import { defaultLimits } from "../limits.ts";
import { liveFeedOf } from "./live-feed.ts";
import { WatchedSession } from "./watched-session.ts";

let nats: TestEventStore;
beforeAll(async () => {
  nats = await openTestEventStore();
});
afterAll(() => nats.close());

const token = (delta: string): LiveMessage => ({
  ...{ type: "token", kind: "text" },
  ...{ messageId: "m", partId: "p", delta },
});
const lastWord: LiveMessage = { type: "retrying", attempt: 1, detail: "busy" };

const organization = newId("organization");

/** What the log holds of a new owner before that one has said a word. */
const claim = async (session: SessionId, epoch: number): Promise<void> => {
  const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
  const command = { type: "ClaimTranscript", epoch } as const;
  await execute(nats.store, transcriptAggregate, { organization, id: session }, command, meta);
};

/** What somebody is told who watches from before `say` until the last word. */
const heard = async (session: SessionId, say: () => Promise<void>) => {
  const feed = liveFeedOf(nats.store, { organizationId: organization, sessionId: session });
  const log = pino({ level: "silent" });
  const watched = new WatchedSession({ feed, limits: defaultLimits, log });
  try {
    await watched.ready;
    const told: LiveMessage[] = [];
    watched.join({
      deliver: (frames) => void told.push(...frames.map(({ message }) => message)),
      startOver: () => undefined,
    });
    await say();
    await vi.waitUntil(() => told.some(({ type }) => type === lastWord.type), { timeout: 30_000 });
    return told;
  } finally {
    await watched.close();
  }
};

it("learns of that owner from the log, and passes nothing on that the former one says", async () => {
  const { store } = nats;
  const listen = async (): Promise<void> => {
    const session = newId("session");
    await claim(session, 5);
    await claim(session, 8);
    const told = await heard(session, async () => {
      await streamLive(store, { organization, session, epoch: 5 }, token("stale"));
      await publishLive(store, { organization, session, epoch: 5 }, token("stale"));
      await streamLive(store, { organization, session, epoch: 8 }, token("present"));
      await publishLive(store, { organization, session }, lastWord);
    });
    expect(told).toEqual([token("present"), lastWord]);
  };
  // Any copy of the log is asked, and one may be a moment behind: then it is so the next time.
  await vi.waitFor(listen, { timeout: 55_000 });
});
