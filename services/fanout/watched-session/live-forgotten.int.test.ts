/** The live channel lies in memory: what becomes of those who watch when a server has forgotten it. */
import { pino } from "pino";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId, type OrganizationId, type SessionId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import { execute } from "#event-store/aggregates/execute";
import { newCommandMeta } from "#event-store/command-meta";
import { publishLive } from "#event-store/live/live-channel";
import {
  openRestartableEventStore,
  type RestartableEventStore,
} from "#event-store/testing/restartable-event-store";
import { transcriptAggregate } from "../../sessions/transcript/transcript-decider.ts";
import { defaultLimits } from "../limits.ts";
import { newGate } from "./gate.ts";
import { type LiveFeed, liveFeedOf } from "./live-feed.ts";
import { WatchedSession } from "./watched-session.ts";

const patience = { timeout: 30_000, interval: 20 };

let test: RestartableEventStore;
beforeAll(async () => {
  test = await openRestartableEventStore();
});
afterAll(() => test.close());

const losses: Readonly<Record<string, (watched: WatchedSession) => Promise<void>>> = {
  "when the only server is restarted": async (watched) => {
    await test.nats.end("SIGKILL");
    await test.nats.start();
    await vi.waitFor(() => test.connection.rtt(), patience);
    watched.reopen();
  },
  // As when the one node of a cluster is restarted that has it: no test.connection breaks.
  "when only the channel is lost": async () => {
    await test.store.jsm.streams.delete("LIVE");
  },
};

it.each(Object.entries(losses))(
  "everything that is said afterwards is told, however much it is, %s",
  async (_, lose) => {
    const key = { organizationId: newId("organization"), sessionId: newId("session") };
    const channel = { organization: key.organizationId, session: key.sessionId };
    const say = (text: string) =>
      publishLive(test.store, channel, {
        ...{ type: "token", kind: "text", delta: text },
        ...{ messageId: "m", partId: "p" },
      });
    const feed = liveFeedOf(test.store, key);
    let looking = newGate();
    looking.open();
    const held: LiveFeed = {
      ...feed,
      kept: async () => {
        await looking.opened;
        return feed.kept();
      },
    };
    const log = pino({ level: "silent" });
    const watched = new WatchedSession({ feed: held, limits: defaultLimits, log });
    const deliver = vi.fn();
    const startOver = vi.fn();
    try {
      watched.join({ deliver, startOver });
      for (const text of ["a", "b", "c", "d"]) await say(text);
      await vi.waitFor(() => expect(text(watched)).toBe("abcd"), patience);

      looking = newGate();
      await lose(watched);
      // What only the channel that was lost may have been told of is waited for in the transcript.
      const position = await record(channel);
      // More than was said before: the new channel's numbers have come past the old one's.
      for (let index = 0; index < 9; index += 1) {
        // A token that cannot be told is given up; the channel is then made anew.
        await vi.waitFor(() => say(String(index)), patience);
      }
      looking.open();
      await vi.waitFor(() => expect(text(watched)).toBe("012345678"), patience);
      expect(startOver).toHaveBeenCalledOnce();
      expect(watched.snapshot().recorded).toBe(position);
    } finally {
      looking.open();
      await watched.close();
    }
  },
);

/** Something of the session's transcript. */
const record = async (channel: {
  readonly organization: OrganizationId;
  readonly session: SessionId;
}): Promise<Position> => {
  const { organization, session: id } = channel;
  const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
  const command = { type: "ClaimTranscript", epoch: 1 } as const;
  return (await execute(test.store, transcriptAggregate, { organization, id }, command, meta))
    .position;
};

const text = (watched: WatchedSession): string =>
  watched
    .snapshot()
    .streaming.flatMap(({ parts }) => parts)
    .map((part) => ("text" in part ? part.text : ""))
    .join("");
