/** Stops whoever comes by until it is opened, and tells the test that somebody has come. */
export interface Gate {
  pass(): Promise<void>;
  /** Resolves when somebody waits before it, or has. */
  readonly reached: Promise<void>;
  /** Lets everybody through, now and later. */
  open(): void;
}

/** @param free how many may pass before it stops anybody */
export const createGate = (free = 0): Gate => {
  let left = free;
  let open: () => void = () => undefined;
  let arrive: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return {
    pass: () => {
      left -= 1;
      if (left >= 0) return Promise.resolve();
      arrive();
      return opened;
    },
    reached,
    open,
  };
};
