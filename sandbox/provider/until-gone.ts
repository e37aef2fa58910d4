/**
 * Notices a sandbox that ends without a word: its connections stay open and bring nothing more. The sandbox's
 * own server is asked often, which is cheap; the provider, whose calls are counted, only when that is silent.
 */
import { setTimeout as delay } from "node:timers/promises";

/** In milliseconds. An end is noticed within 2 + 1 + 1 seconds and the time that the provider takes. */
const limits = {
  /** Between two questions to the server while somebody waits for the agent. */
  probe: 2_000,
  /** Between two questions while nobody does. */
  idleProbe: 10_000,
  /** How long an answer of the server may take. Two that do not come are silence. */
  answer: 1_000,
  /** A provider that says that a silent sandbox runs is not asked again so soon; twice as long each time. */
  askAgain: 10_000,
  longestAskAgain: 60_000,
};

/** Time, as a test may want to have it pass. */
interface Clock {
  /** Milliseconds since any moment. */
  now(): number;
  /** Resolves early when the signal fires. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const systemClock: Clock = {
  now: () => performance.now(),
  // Aborted: whoever waits looks at the signal.
  wait: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
};

interface Liveness {
  /** Asks the sandbox's own server; false unless it has answered well within so many milliseconds. */
  readonly answers: (withinMs: number) => Promise<boolean>;
  /** Asks the provider. Must not throw: a provider that cannot be asked has not said so. */
  readonly isGone: () => Promise<boolean>;
  /** Whether somebody waits for the agent now. */
  readonly isAwaited: () => boolean;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** True once the sandbox is gone; false when the signal has fired before. */
export const untilGone = async ({
  answers,
  isGone,
  isAwaited,
  signal,
  clock = systemClock,
}: Liveness): Promise<boolean> => {
  let probedAt = clock.now();
  let pauseMs = limits.askAgain;
  let askFrom = 0;
  const isSilent = async (): Promise<boolean> =>
    !(await answers(limits.answer)) && !(await answers(limits.answer));
  for (;;) {
    await clock.wait(limits.probe, signal);
    if (signal.aborted) return false;
    if (!isAwaited() && clock.now() - probedAt < limits.idleProbe) continue;
    probedAt = clock.now();
    if (!(await isSilent())) {
      pauseMs = limits.askAgain;
      askFrom = 0;
    } else if (!signal.aborted && clock.now() >= askFrom) {
      if (await isGone()) return !signal.aborted;
      askFrom = clock.now() + pauseMs;
      pauseMs = Math.min(2 * pauseMs, limits.longestAskAgain);
    }
  }
};
