/** What {@link withTicks} yields when nothing has come for a while. */
export const tick = Symbol("tick");

/** Passes a source on, with a tick whenever it has been silent for this many milliseconds. */
export async function* withTicks<T>(
  source: AsyncIterable<T>,
  ms: number,
): AsyncGenerator<T | typeof tick> {
  const iterator = source[Symbol.asyncIterator]();
  let pending = iterator.next();
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<typeof tick>((resolve) => {
        timer = setTimeout(() => resolve(tick), ms);
      });
      const first = await Promise.race([pending, silence]).finally(() => clearTimeout(timer));
      if (first === tick) {
        yield tick;
        continue;
      }
      if (first.done) return;
      pending = iterator.next();
      yield first.value;
    }
  } finally {
    // The read that is still under way ends with the source; nobody waits for it any more.
    pending.catch(() => undefined);
    void iterator.return?.().catch(() => undefined);
  }
}
