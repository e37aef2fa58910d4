/** Keeps the sandboxes that a control plane has handed out from being paused by E2B while it is there. */
import { isDomainError } from "#contracts/errors";

export interface Renewals {
  keep(id: string): void;
  drop(id: string): void;
  close(): void;
}

/** @param everyMs well below the time after which E2B pauses */
export const renewEvery = (everyMs: number, renew: (id: string) => Promise<void>): Renewals => {
  const timers = new Map<string, NodeJS.Timeout>();
  const drop = (id: string): void => {
    clearInterval(timers.get(id));
    timers.delete(id);
  };
  return {
    keep: (id) => {
      drop(id);
      const timer = setInterval(() => {
        renew(id).catch((error: unknown) => {
          // It has been paused or has ended. After any other failure the next renewal is soon enough.
          if (isDomainError(error, "sandbox_not_found")) drop(id);
        });
      }, everyMs);
      timers.set(id, timer.unref());
    },
    drop,
    close: () => {
      for (const id of timers.keys()) drop(id);
    },
  };
};
