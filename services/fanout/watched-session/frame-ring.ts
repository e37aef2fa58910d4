import { type LiveFrame, restOfFrame } from "../frame.ts";

export interface FrameRingLimits {
  readonly maxFrames: number;
  readonly maxBytes: number;
}

/** The newest frames of one session, bounded by count and bytes (the newest one always stays). */
export class FrameRing {
  readonly #limits: FrameRingLimits;
  readonly #frames: LiveFrame[] = [];
  #bytes = 0;
  #firstSeq: number | null = null;
  #evictedSeq = 0;
  #lastSeq = 0;

  constructor(limits: FrameRingLimits) {
    this.#limits = limits;
  }

  /** The newest sequence number that was ever pushed; 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get frames(): readonly LiveFrame[] {
    return this.#frames;
  }

  push(frame: LiveFrame): void {
    this.#firstSeq ??= frame.sources[0]?.seq ?? frame.seq;
    this.#lastSeq = frame.seq;
    this.#frames.push(frame);
    this.#bytes += frame.data.length;
    while (this.#frames.length > 1 && this.#isOverfull()) {
      const evicted = this.#frames.shift();
      this.#bytes -= evicted?.data.length ?? 0;
      this.#evictedSeq = evicted?.seq ?? 0;
    }
  }

  /** Everything after a point that this ring itself has named; null if some of it is gone. */
  since(seq: number): readonly LiveFrame[] | null {
    if (seq < this.#evictedSeq) return null;
    const start = this.#frames.findIndex((frame) => frame.seq > seq);
    if (start === -1) return [];
    return this.#frames
      .slice(start)
      .map((frame, index) => (index === 0 ? restOfFrame(frame, seq) : frame));
  }

  /**
   * Everything after a point that a client names, which it may have from another instance or from
   * long ago: null unless that very history is held. What came before the first message in here is
   * unknown, and a client that is ahead of it saw another incarnation of the channel.
   */
  resume(lastSeq: number): readonly LiveFrame[] | null {
    if (this.#firstSeq === null || lastSeq < this.#firstSeq || lastSeq > this.#lastSeq) return null;
    return this.since(lastSeq);
  }

  #isOverfull(): boolean {
    return this.#frames.length > this.#limits.maxFrames || this.#bytes > this.#limits.maxBytes;
  }
}
