/** What {@link withTicks} yields when nothing has come for a while. */
export const tick = Symbol("tick");

/** Passes a source on, with a tick whenever it has been silent for as many milliseconds as `pauseMs` says then. */
export async function* withTicks<T>(
  source: AsyncIterable<T>,
  pauseMs: () => number,
): AsyncGenerator<T | typeof tick> {
  const iterator = source[Symbol.asyncIterator]();
  let pending = iterator.next();
  try {
    for (;;) {
      const first = await earlier(pending, pauseMs());
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

/** By hand and not by `Promise.race`: it is done for each token of each session. */
const earlier = <T>(pending: Promise<T>, ms: number): Promise<T | typeof tick> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, tick);
    pending.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
