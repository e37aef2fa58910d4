/** Work under the same key is done one after the other, in the order in which it was asked for. */
export interface KeyedQueue {
  /** Does the work once all that was asked for before it under the same key has ended, well or badly. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Holds back only callers of this process; what other processes do needs a check of its own. */
export const createKeyedQueue = (): KeyedQueue => {
  const queues = new Map<string, Promise<unknown>>();
  return {
    run: (key, work) => {
      const before = queues.get(key) ?? Promise.resolve();
      const mine = before.then(work);
      // The next in line waits for the end, not for the success.
      const ended = mine.then(
        () => undefined,
        () => undefined,
      );
      queues.set(key, ended);
      void ended.then(() => {
        if (queues.get(key) === ended) queues.delete(key);
      });
      return mine;
    },
  };
};
