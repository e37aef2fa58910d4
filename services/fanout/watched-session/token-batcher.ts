import { isSamePart, type Received } from "../frame.ts";

export interface TokenBatcherOptions {
  /** 0: nothing is merged. */
  readonly windowMs: number;
  /** Called with what belongs into one frame, in order. */
  readonly emit: (sources: readonly Received[]) => void;
}

/**
 * Merges tokens, so that a fast model does not cost a frame per token and client. The first token of
 * a part goes at once; those that follow within the window go together at its end, which opens the
 * next one. Anything else ends the window first: the order never changes, and what was emitted is
 * always everything up to some sequence number, so that a client can resume there.
 */
export class TokenBatcher {
  readonly #windowMs: number;
  readonly #emit: (sources: readonly Received[]) => void;
  #first: Received | null = null;
  #waiting: Received[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor({ windowMs, emit }: TokenBatcherOptions) {
    this.#windowMs = windowMs;
    this.#emit = emit;
  }

  push(received: Received): void {
    if (this.#first && isSamePart(this.#first.message, received.message)) {
      this.#waiting.push(received);
      return;
    }
    this.endWindow();
    this.#emit([received]);
    if (received.message.type === "token" && this.#windowMs > 0) this.#openWindow(received);
  }

  /** Emits what waits now; the window stays open. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const sources = this.#waiting;
    this.#waiting = [];
    this.#emit(sources);
  }

  /** Emits what waits and stops the clock. */
  endWindow(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#first = null;
    this.flush();
  }

  #openWindow(first: Received): void {
    this.#first = first;
    this.#timer = setTimeout(() => {
      if (this.#waiting.length === 0) {
        this.endWindow();
      } else {
        this.flush();
        this.#openWindow(first);
      }
    }, this.#windowMs);
  }
}
