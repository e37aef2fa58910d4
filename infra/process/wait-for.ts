import { setTimeout as delay } from "node:timers/promises";

/** Asks again and again until the answer is not undefined; undefined when the time is up. */
export const waitFor = async <T>(
  probe: () => Promise<T | undefined>,
  { timeoutMs, everyMs = 20 }: { readonly timeoutMs: number; readonly everyMs?: number },
): Promise<T | undefined> => {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined || Date.now() >= deadline) return answer;
    await delay(everyMs);
  }
};
