/** Wakes whoever waits; a ring that nobody waits for is kept for the next one. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, at once if there was one since the last wait, or when aborted. */
  wait(signal: AbortSignal): Promise<void>;
}

export const createBell = (): Bell => {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    wait: async (signal) => {
      if (!rung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          // The signal outlives many a wait, so a wait that is over takes its listener away.
          const end = (): void => {
            signal.removeEventListener("abort", end);
            resolve();
          };
          wake = end;
          signal.addEventListener("abort", end);
        });
      }
      // A wait that was called off leaves the ring to the next one.
      if (!signal.aborted) {
        rung = false;
      }
    },
  };
};
