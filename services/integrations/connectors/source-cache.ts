import type { ActionSource } from "../../actions/sources/source.ts";

export interface SourceCache {
  /** The source of this key, opened if there is none. */
  get(key: string, open: () => ActionSource): ActionSource;
}

/** A source holds nothing open, only its list of tools: those that were used last are kept. */
export const createSourceCache = (capacity = 1_000): SourceCache => {
  const sources = new Map<string, ActionSource>();
  return {
    get: (key, open) => {
      const source = sources.get(key) ?? open();
      // A map remembers the order in which its keys came.
      sources.delete(key);
      sources.set(key, source);
      const [oldest] = sources.keys();
      if (sources.size > capacity && oldest !== undefined) sources.delete(oldest);
      return source;
    },
  };
};
