/**
 * The additional boots that this process has begun and that may still be under way. A provider keeps them
 * by the key that it knows the sandbox by.
 */
import type { AdditionalPhase } from "./phase.ts";

export interface RunningPhases {
  keep(key: string, phase: AdditionalPhase): void;
  /** Waits for what is under way, so that a snapshot has all of it. */
  settled(key: string): Promise<void>;
  /** Calls off what has not been done yet: for before the sandbox is put away. */
  stop(key: string): Promise<void>;
}

export const runningPhases = (): RunningPhases => {
  const phases = new Map<string, AdditionalPhase>();
  return {
    keep: (key, phase) => {
      phases.set(key, phase);
      void phase.ended.then(() => {
        if (phases.get(key) === phase) phases.delete(key);
      });
    },
    settled: async (key) => {
      await phases.get(key)?.ended;
    },
    stop: async (key) => {
      await phases.get(key)?.stop();
    },
  };
};
