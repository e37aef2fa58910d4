/** Lets the operations on one session wait for each other; different sessions do not. */
export const sessionLocks = () => {
  const tails = new Map<string, Promise<void>>();
  return async <T>(key: string, operation: () => Promise<T>): Promise<T> => {
    const before = tails.get(key) ?? Promise.resolve();
    const result = before.then(operation);
    // The next in line does not care how this one ended; its own caller hears of it.
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
};
