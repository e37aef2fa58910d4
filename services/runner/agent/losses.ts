/** How often an owner has lost its session's agent, and whether it starts another one. */
import {
  afterEnd,
  type AfterEnd,
  type RestartLimits,
} from "#sandbox/agent/services/restart-policy";

export interface Losses {
  /** Whether the agent that is brought up next takes the place of a lost one. */
  isReplacing(): boolean;
  /** A conversation has begun. */
  began(): void;
  /**
   * The conversation was lost.
   * @param answering in the middle of an answer, which may be what ends the agent each time: then only a whole
   * answer forgives, however long it took. Otherwise a quiet while does too.
   */
  lost(answering: boolean): AfterEnd;
  /** The agent has answered to the end. */
  answered(): void;
}

const limits: RestartLimits = {
  firstDelayMs: 250,
  longestDelayMs: 10_000,
  giveUpAfter: 4,
  stableAfterMs: 60_000,
};

/** @param now milliseconds since any moment */
export const countLosses = (now: () => number): Losses => {
  let failures = 0;
  let isReplacing = false;
  let beganAt = now();
  return {
    isReplacing: () => isReplacing,
    began: () => {
      isReplacing = false;
      beganAt = now();
    },
    lost: (answering) => {
      isReplacing = true;
      const lastedMs = answering ? 0 : now() - beganAt;
      const after = afterEnd(
        "always",
        { exitCode: null, lastedMs, failuresBefore: failures },
        limits,
      );
      failures = after.next === "stopped" ? 0 : after.failures;
      return after;
    },
    answered: () => {
      failures = 0;
    },
  };
};
