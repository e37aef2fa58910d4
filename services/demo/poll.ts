import { setTimeout as delay } from "node:timers/promises";

/** Asks until the answer is there; gives up after `limitMs` with a sentence that says what was missed. */
export const poll = async <T>(
  what: string,
  ask: () => Promise<T | null | false>,
  limitMs = 90_000,
): Promise<T> => {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) {
      return answer;
    }
    if (performance.now() > deadline) {
      throw new Error(`Waited in vain for ${what}.`);
    }
    await delay(50);
  }
};
