/** Stops whoever comes by until it is opened, and tells the test that somebody has come. */
export interface Gate {
  pass(): Promise<void>;
  /** Resolves when somebody waits before it, or has. */
  readonly reached: Promise<void>;
  /** Lets everybody through, now and later. */
  open(): void;
}

export const createGate = (): Gate => {
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
      arrive();
      return opened;
    },
    reached,
    open,
  };
};
