/** Something that many may wait for and that happens once. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly isOpen: boolean;
  /** Fine to call twice. */
  open(): void;
}

export const newGate = (): Gate => {
  let resolve: () => void;
  let isOpen = false;
  const opened = new Promise<void>((done) => {
    resolve = done;
  });
  return {
    opened,
    get isOpen() {
      return isOpen;
    },
    open: () => {
      isOpen = true;
      resolve();
    },
  };
};
