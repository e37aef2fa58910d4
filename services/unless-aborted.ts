/**
 * What the work comes to, unless the signal aborts first: then nobody waits for it any more.
 *
 * @throws Error with the signal's reason as its cause: a reason of ours says nothing about the work
 */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(new Error("The action was interrupted.", { cause: signal.reason }));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
