/** A live channel in memory, for tests: it can lose its past, fail, end, and start anew. */
import type { LiveMessage } from "#contracts/live/messages";
import type { Position } from "#contracts/position";
import type { LiveEntry } from "#event-store/live/live-channel";
import type { KeptRange, LiveFeed } from "../watched-session/live-feed.ts";

export class ScriptedFeed implements LiveFeed {
  /** From where the feed was opened, each time. */
  readonly openedAfter: number[] = [];
  /** Set to make `kept` fail. */
  unreachable = false;
  /** The newest owner that the log names. */
  ownerEpoch = 0;
  /** Up to where the log has the transcript. */
  recorded: Position | null = null;
  #kept: LiveEntry[] = [];
  #wake = new Set<() => void>();
  #fault: Error | null = null;

  /** @param ownerEpoch of the owner that says it; null for what others say */
  publish(seq: number, message: LiveMessage, ownerEpoch: number | null = null): void {
    this.#kept.push({ seq, ownerEpoch, message });
    this.#wakeAll();
  }

  /** Forgets everything before `seq`. */
  expire(seq: number): void {
    this.#kept = this.#kept.filter((received) => received.seq >= seq);
  }

  /** Makes the open feed fail. */
  fail(): void {
    this.#fault = new Error("scripted fault");
    this.#wakeAll();
  }

  kept(): Promise<KeptRange> {
    if (this.unreachable) return Promise.reject(new Error("scripted: unreachable"));
    return Promise.resolve({
      firstSeq: this.#kept[0]?.seq ?? 0,
      lastSeq: this.#kept.at(-1)?.seq ?? 0,
      ownerEpoch: this.ownerEpoch,
      recorded: this.recorded,
    });
  }

  async *open(after: number, signal: AbortSignal): AsyncGenerator<LiveEntry> {
    this.openedAfter.push(after);
    signal.addEventListener("abort", () => this.#wakeAll());
    let last = after;
    while (!signal.aborted) {
      const next = this.#kept.find(({ seq }) => seq > last);
      if (next) {
        last = next.seq;
        yield next;
      } else if (this.#fault) {
        const fault = this.#fault;
        this.#fault = null;
        throw fault;
      } else {
        await new Promise<void>((resolve) => this.#wake.add(resolve));
      }
    }
  }

  #wakeAll(): void {
    const waiting = [...this.#wake];
    this.#wake.clear();
    for (const wake of waiting) wake();
  }
}
