import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import type { Message } from "#contracts/transcript/message";
import { defaultLimits } from "../limits.ts";
import { ScriptedFeed } from "../testing/scripted-feed.ts";
import { WatchedSession, type Watcher } from "./watched-session.ts";

const retrying = (attempt: number): LiveMessage => ({ type: "retrying", attempt, detail: "busy" });
const token = (delta: string): LiveMessage => ({
  type: "token",
  kind: "text",
  messageId: "m1",
  partId: "p1",
  delta,
});
const message: Message = {
  id: "m0",
  role: "user",
  promptId: null,
  parts: [{ kind: "text", id: "p0", text: "Hello?" }],
  finish: null,
  failure: null,
  usage: null,
  cost: null,
  filesChanged: null,
};
const patience = { timeout: 30_000, interval: 10 };

describe("watched session", () => {
  let session: WatchedSession | null = null;

  afterEach(async () => {
    await session?.close();
  });

  const watch = async (feed: ScriptedFeed) => {
    const watched = new WatchedSession({
      feed,
      limits: defaultLimits,
      log: pino({ level: "silent" }),
    });
    session = watched;
    const seqs: number[] = [];
    const watcher: Watcher & { starts: number } = {
      starts: 0,
      deliver: (frames) => seqs.push(...frames.map(({ seq }) => seq)),
      startOver: () => {
        watcher.starts += 1;
        void watched.ready.then(() => {
          watched.join(watcher);
        });
      },
    };
    await watched.ready;
    watched.join(watcher);
    return { watched, watcher, seqs };
  };

  it("has folded everything that was kept when it is ready", async () => {
    const feed = new ScriptedFeed();
    feed.publish(4, { type: "status", status: "running", detail: null });
    feed.publish(6, token("Hel"));
    feed.publish(7, token("lo"));
    const { watched } = await watch(feed);
    expect(watched.snapshot()).toEqual({
      epoch: 0,
      seq: 7,
      status: "running",
      streaming: [{ id: "m1", parts: [{ kind: "text", id: "p1", text: "Hello" }] }],
      messages: [],
      recorded: null,
    });
  });

  it("goes on where it stood when the feed fails, without a repetition", async () => {
    const feed = new ScriptedFeed();
    feed.publish(1, retrying(1));
    const { watched, watcher, seqs } = await watch(feed);
    feed.fail();
    feed.unreachable = true;
    await vi.waitFor(() => {
      expect(feed.openedAfter).toEqual([0]);
    }, patience);
    feed.publish(2, retrying(2));
    feed.publish(3, retrying(3));
    feed.unreachable = false;
    await vi.waitFor(() => {
      expect(seqs).toEqual([2, 3]);
    }, patience);
    watched.reopen();
    feed.publish(5, retrying(5));
    await vi.waitFor(() => {
      expect(seqs).toEqual([2, 3, 5]);
    }, patience);
    expect(watcher.starts).toBe(0);
  });

  it("starts over when what it missed has expired", async () => {
    const feed = new ScriptedFeed();
    feed.publish(1, retrying(1));
    const { watched, watcher, seqs } = await watch(feed);
    const before = watched.snapshot();
    feed.unreachable = true;
    watched.reopen();
    feed.publish(2, retrying(2));
    feed.publish(3, retrying(3));
    feed.expire(3);
    feed.unreachable = false;
    await vi.waitFor(() => {
      expect(watcher.starts).toBe(1);
      expect(watched.snapshot().seq).toBe(3);
    }, patience);
    expect(watched.since(before)).toBeNull();
    feed.publish(4, retrying(4));
    await vi.waitFor(() => {
      expect(seqs).toContain(4);
    }, patience);
  });

  it("starts over when the channel counts from the beginning again", async () => {
    const feed = new ScriptedFeed();
    feed.publish(900, retrying(1));
    const { watched, watcher } = await watch(feed);
    feed.publish(901, { type: "message", message });
    await vi.waitFor(() => {
      expect(watched.snapshot().seq).toBe(901);
    }, patience);
    feed.expire(1_000);
    feed.publish(1, retrying(2));
    watched.reopen();
    await vi.waitFor(() => {
      expect(watcher.starts).toBe(1);
      expect(watched.snapshot()).toMatchObject({ epoch: 1, seq: 1 });
    }, patience);
    expect(watched.resume(900)).toBeNull();
    // Nobody tells it again, and the read models may be behind.
    expect(watched.snapshot().messages).toEqual([message]);
  });

  it("leaves out what a former owner says after its successor, and clients resume across it", async () => {
    const feed = new ScriptedFeed();
    feed.publish(1, token("former"), 7);
    feed.publish(2, { type: "status", status: "starting", detail: null }, 9);
    feed.publish(3, token("stale"), 7);
    // Also where nothing else is kept after it, which must keep nobody waiting.
    const { watched, seqs } = await watch(feed);
    expect(watched.snapshot()).toMatchObject({ seq: 2, streaming: [] });
    feed.publish(4, token("pre"), 9);
    feed.publish(5, { type: "status", status: "running", detail: null }, 7);
    feed.publish(6, token("sent"), 9);
    feed.publish(7, retrying(1));
    await vi.waitFor(() => {
      expect(seqs).toEqual([4, 6, 7]);
    }, patience);
    expect(watched.snapshot()).toMatchObject({
      status: "starting",
      streaming: [{ id: "m1", parts: [{ kind: "text", id: "p1", text: "present" }] }],
    });
    expect(watched.resume(2)?.map(({ seq }) => seq)).toEqual([4, 6, 7]);
    expect(watched.resume(4)?.map(({ seq }) => seq)).toEqual([6, 7]);
  });

  it("knows of an owner that the log names and that has said nothing yet", async () => {
    const feed = new ScriptedFeed();
    feed.publish(1, token("former"), 7);
    feed.ownerEpoch = 9;
    const { watched, seqs } = await watch(feed);
    feed.publish(2, token("stale"), 7);
    feed.publish(3, retrying(1));
    await vi.waitFor(() => {
      expect(seqs).toEqual([3]);
    }, patience);
    // What was there before it was known may have been said in time.
    expect(watched.snapshot().streaming).toMatchObject([{ parts: [{ text: "former" }] }]);
  });

  it("tells the end of a prompt once, and no repetition ends what is streamed after it", async () => {
    const end = (promptId = newId("prompt")): LiveMessage => ({
      ...{ type: "prompt_finished", promptId },
      ...{ outcome: "completed", failure: null },
    });
    const first = end();
    const feed = new ScriptedFeed();
    const { watched, seqs } = await watch(feed);
    feed.publish(1, first, 7);
    feed.publish(2, token("next"), 7);
    feed.publish(3, first);
    feed.publish(4, retrying(1));
    await vi.waitFor(() => {
      expect(seqs).toEqual([1, 2, 4]);
    }, patience);
    expect(watched.snapshot().streaming).toMatchObject([{ parts: [{ text: "next" }] }]);
    feed.publish(5, end(), 7);
    await vi.waitFor(() => {
      expect(seqs.at(-1)).toBe(5);
    }, patience);
    expect(watched.snapshot().streaming).toEqual([]);
  });
});
