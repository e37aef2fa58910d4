import type { DomainError } from "#contracts/errors";

export interface TimeLimit {
  readonly ms: number;
  /** Ends the work early; then its reason is what is thrown. */
  readonly signal: AbortSignal;
  /** What is thrown when the time is up. */
  readonly late: () => DomainError;
}

/**
 * Runs work that has to be done by a certain time, whether or not it heeds its signal.
 * @param onLate gets what the work brought after all when nobody waited for it any more; must not throw
 */
export const withinTime = async <T>(
  { ms, signal, late }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
  onLate: (result: T) => void = () => undefined,
): Promise<T> => {
  const calledOff = new AbortController();
  const timer = setTimeout(() => calledOff.abort(late()), Math.max(0, ms));
  const stop = (): void => calledOff.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const over = new Promise<never>((_, reject) => {
    const end = (): void => reject(calledOff.signal.reason as Error);
    calledOff.signal.addEventListener("abort", end, { once: true });
    if (calledOff.signal.aborted) end();
  });
  const working = work(calledOff.signal);
  working.then(
    (result) => {
      if (calledOff.signal.aborted) onLate(result);
    },
    () => undefined, // Told to the caller, unless it was told already that the time is up.
  );
  try {
    return await Promise.race([over, working]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
};
