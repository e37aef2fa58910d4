import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { foldStreaming, type Streaming } from "#contracts/live/streaming";
import type { Position } from "#contracts/position";
import type { SessionStatus } from "#contracts/session/view";
import type { ShownMessage } from "#contracts/transcript/view";
import { FrameRing } from "./frame-ring.ts";
import { type LiveFrame, makeFrame } from "../frame.ts";
import { newGate } from "./gate.ts";
import type { FanoutLimits } from "../limits.ts";
import type { KeptRange, LiveFeed } from "./live-feed.ts";
import { Outbox } from "./outbox.ts";
import { OwnerFence } from "./owner-fence.ts";
import { TokenBatcher } from "./token-batcher.ts";
import { ToldEnds } from "./told-ends.ts";

/** Somebody who is told of every frame. */
export interface Watcher {
  /** Frames that belong into one write, in order. */
  deliver(frames: readonly LiveFrame[]): void;
  /** Frames are missing and cannot be had: this watcher needs a fresh start, and gets no more until it joins again. */
  startOver(): void;
}

/** What has been sent up to `seq`. */
export interface LiveSnapshot {
  /** Grows when the session starts over: sequence numbers of different epochs do not compare. */
  readonly epoch: number;
  readonly seq: number;
  readonly streaming: Streaming;
  /** The newest status that was sent; null if none is known. */
  readonly status: SessionStatus | null;
  /** Whole messages that were sent lately, oldest first. */
  readonly messages: readonly ShownMessage[];
  /**
   * What was recorded when the feed was last opened, null for nothing: some of it may have been told to a channel
   * that was lost before it was read, so that only the transcript has it.
   */
  readonly recorded: Position | null;
}

export interface WatchedSessionOptions {
  readonly feed: LiveFeed;
  readonly limits: FanoutLimits;
  readonly log: Logger;
}

/** The longest pause between two attempts to open a feed, in milliseconds. */
const maxRetryPauseMs = 5_000;

/** More messages than a read model lags behind. */
const maxToldBefore = 50;

/** How often the end of the backlog is looked up again while it has not been reached, in milliseconds. */
const backlogCheckMs = 1_000;

/**
 * One session that this instance follows: one consumer, folded and kept once, for all who watch.
 * Follows from its construction until {@link WatchedSession.close}.
 */
export class WatchedSession {
  readonly #options: WatchedSessionOptions;
  readonly #watchers = new Set<Watcher>();
  readonly #fence = new OwnerFence();
  readonly #ends = new ToldEnds();
  readonly #batcher: TokenBatcher;
  readonly #outbox = new Outbox((frames) => {
    for (const watcher of this.#watchers) watcher.deliver(frames);
  });
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #attempt = new AbortController();
  #epoch = 0;
  #ring: FrameRing;
  /** Whole messages that were told before the channel began anew: the read models may not have them yet. */
  #toldBefore: readonly ShownMessage[] = [];
  #streaming: Streaming = [];
  #status: SessionStatus | null = null;
  #recorded: Position | null = null;
  /** The newest sequence number that came in; the ring may be a batch behind. */
  #head = 0;
  #failures = 0;
  #ready = newGate();

  constructor(options: WatchedSessionOptions) {
    this.#options = options;
    this.#ring = this.#newRing();
    this.#batcher = new TokenBatcher({
      windowMs: options.limits.batchWindowMs,
      emit: (sources) => {
        this.#emit(makeFrame(sources));
      },
    });
    this.#running = this.#follow();
  }

  /** Resolves once everything that was kept has come in; not before the channel can be reached. */
  get ready(): Promise<void> {
    return this.#ready.opened;
  }

  /** How things stand now. Frames after `seq` can be had from {@link WatchedSession.since}. */
  snapshot(): LiveSnapshot {
    this.#batcher.flush();
    return {
      epoch: this.#epoch,
      seq: this.#ring.lastSeq,
      streaming: this.#streaming,
      status: this.#status,
      messages: this.#wholeMessages(),
      recorded: this.#recorded,
    };
  }

  #wholeMessages(): readonly ShownMessage[] {
    const told = this.#ring.frames.flatMap(({ message }) =>
      message.type === "message" ? [message.message] : [],
    );
    return [...this.#toldBefore, ...told];
  }

  /** What was sent after a snapshot; null if that is not all there any more. */
  since({ epoch, seq }: LiveSnapshot): readonly LiveFrame[] | null {
    if (epoch !== this.#epoch) return null;
    this.#batcher.flush();
    return this.#ring.since(seq);
  }

  /** What a client missed that last saw `lastSeq`; null if that cannot be told. */
  resume(lastSeq: number): readonly LiveFrame[] | null {
    this.#batcher.flush();
    return this.#ring.resume(lastSeq);
  }

  /** From now on the watcher is told of every frame that is newer than what it could have had until now. */
  join(watcher: Watcher): void {
    this.#outbox.flush();
    this.#watchers.add(watcher);
  }

  leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  /** Opens the feed anew where it stands: for when it may have stopped without saying so. */
  reopen(): void {
    this.#attempt.abort();
  }

  /** Stops following. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#attempt.abort();
    this.#batcher.endWindow();
    this.#outbox.flush();
    this.#watchers.clear();
    await this.#running;
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#attempt = new AbortController();
      try {
        await this.#followOnce(this.#attempt.signal);
        if (this.#attempt.signal.aborted) continue;
        this.#options.log.warn("the live feed ended; opening it again");
      } catch (error) {
        if (this.#attempt.signal.aborted) continue;
        this.#options.log.warn({ err: error }, "the live feed failed; opening it again");
      }
      await this.#pause();
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    const { feed } = this.#options;
    const kept = await feed.kept();
    this.#recorded = kept.recorded;
    if (this.#head > 0 && !continues(this.#head, kept)) this.#startOver();
    this.#catchUp(kept);
    const backlogCheck = setInterval(() => void this.#lookForBacklogAgain(), backlogCheckMs);
    try {
      // A source that does not end when it is told to must keep nobody waiting.
      await Promise.race([this.#consume(kept, signal), abortOf(signal)]);
    } finally {
      clearInterval(backlogCheck);
    }
  }

  async #consume(kept: KeptRange, signal: AbortSignal): Promise<void> {
    for await (const received of this.#options.feed.open(this.#head, signal)) {
      if (signal.aborted) return;
      if (received.seq <= this.#head) continue;
      this.#head = received.seq;
      this.#failures = 0;
      if (this.#fence.admits(received) && this.#ends.isNews(received.message)) {
        this.#batcher.push(received);
      }
      this.#catchUp(kept);
    }
  }

  #catchUp({ lastSeq, ownerEpoch }: KeptRange): void {
    if (this.#head < lastSeq) return;
    this.#fence.raise(ownerEpoch);
    this.#ready.open();
  }

  /** The last message of the backlog may expire before it is read: then it is waited for no longer. */
  async #lookForBacklogAgain(): Promise<void> {
    if (this.#ready.isOpen) return;
    try {
      this.#catchUp(await this.#options.feed.kept());
    } catch (error) {
      // The feed meets the same fault and is opened again; this was only a second look.
      this.#options.log.debug({ err: error }, "the kept range could not be read");
    }
  }

  /** What was missed is gone for good: forget the past and have every watcher begin again. */
  #startOver(): void {
    this.#batcher.endWindow();
    this.#outbox.flush();
    this.#epoch += 1;
    this.#toldBefore = this.#wholeMessages().slice(-maxToldBefore);
    this.#ring = this.#newRing();
    this.#streaming = [];
    this.#status = null;
    this.#head = 0;
    // Those who wait at the old gate go on through the new one.
    const before = this.#ready;
    this.#ready = newGate();
    void this.#ready.opened.then(before.open);
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const watcher of watchers) watcher.startOver();
  }

  #emit(frame: LiveFrame): void {
    this.#streaming = foldStreaming(this.#streaming, frame.message);
    if (frame.message.type === "status") this.#status = frame.message.status;
    this.#ring.push(frame);
    this.#outbox.push(frame);
  }

  async #pause(): Promise<void> {
    const pauseMs = Math.min(100 * 2 ** this.#failures, maxRetryPauseMs);
    this.#failures += 1;
    try {
      await delay(pauseMs, undefined, { signal: this.#attempt.signal });
    } catch {
      // Closed or asked to reopen: the pause is over, which is all that this can mean.
    }
  }

  #newRing(): FrameRing {
    const { ringFrames, ringBytes } = this.#options.limits;
    return new FrameRing({ maxFrames: ringFrames, maxBytes: ringBytes });
  }
}

/**
 * Whether a channel that keeps this range surely has everything after `head`. The oldest messages go
 * first, so if one at or before `head` is still there, none after it is missing. A channel that was lost
 * and has begun anew keeps nothing at or before `head`: its numbers go on above all earlier ones.
 */
const continues = (head: number, { firstSeq, lastSeq }: KeptRange): boolean =>
  firstSeq <= head && lastSeq >= head;

const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        "abort",
        () => {
          resolve();
        },
        { once: true },
      );
  });
