/** Something that was started and can be stopped; stopping twice is fine. */
export interface Running {
  stop(): Promise<void>;
}

/** Runs what was started as one: stopped in the reverse of its order, all of it, whatever fails. */
export const runningStack = (): {
  add(part: Running): void;
  stop(): Promise<void>;
} => {
  const parts: Running[] = [];
  return {
    add: (part) => {
      parts.push(part);
    },
    stop: async () => {
      const failures: unknown[] = [];
      for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
        try {
          await part.stop();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) {
        throw new AggregateError(failures, "Not everything could be stopped cleanly.");
      }
    },
  };
};
