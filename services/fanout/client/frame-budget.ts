export interface FrameBudgetLimits {
  /** Frames that a client may send at once. */
  readonly burst: number;
  /** Frames a second that it may go on with. */
  readonly perSecond: number;
}

/** How many frames one connection may still send: a bucket that fills up again as time goes by. */
export class FrameBudget {
  readonly #limits: FrameBudgetLimits;
  #left: number;
  #at: number;

  /** @param now milliseconds on any clock that never goes back */
  constructor(limits: FrameBudgetLimits, now: number) {
    this.#limits = limits;
    this.#left = limits.burst;
    this.#at = now;
  }

  /** Takes one frame out of it; false when there is none. */
  take(now: number): boolean {
    const { burst, perSecond } = this.#limits;
    this.#left = Math.min(burst, this.#left + ((now - this.#at) * perSecond) / 1_000);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
