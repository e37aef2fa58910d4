import { type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace";

/**
 * Records what begins with links, which lead to recorded traces only, and leaves the rest to another sampler.
 * Batches have no parent: drawn by lot, they would be missing from most of the traces that they belong to.
 */
export const recordLinked = (others: Sampler): Sampler => ({
  shouldSample: (...asked) => {
    const [, , , , , links] = asked;
    return links.length > 0
      ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
      : others.shouldSample(...asked);
  },
  toString: () => `recordLinked(${others.toString()})`,
});
