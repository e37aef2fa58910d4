import type { LiveFrame } from "../frame.ts";

/**
 * Gathers the frames of one turn of the event loop. A write to a socket costs far more than a frame in
 * it, and a busy session has several frames in a turn: the busier it is, the more of them share a write.
 * Nothing waits longer than the turn in which it came.
 */
export class Outbox {
  readonly #deliver: (frames: readonly LiveFrame[]) => void;
  #frames: LiveFrame[] = [];
  #turn: NodeJS.Immediate | null = null;

  constructor(deliver: (frames: readonly LiveFrame[]) => void) {
    this.#deliver = deliver;
  }

  push(frame: LiveFrame): void {
    this.#frames.push(frame);
    this.#turn ??= setImmediate(() => {
      this.flush();
    });
  }

  /** Delivers what was gathered now: whoever looks at the state of the session has had all of it. */
  flush(): void {
    if (this.#turn) clearImmediate(this.#turn);
    this.#turn = null;
    if (this.#frames.length === 0) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#deliver(frames);
  }
}
