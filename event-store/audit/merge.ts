/** Several shards as one sequence. */
import type { StoredCommit } from "./stored-commits.ts";

type Source = AsyncGenerator<StoredCommit>;

/** Merges by the time of storage; each source keeps its own order. */
export async function* inOrderOfTime(sources: readonly Source[]): Source {
  try {
    const heads = await Promise.all(
      sources.map(async (source) => ({ source, head: await source.next() })),
    );
    for (;;) {
      let first: (typeof heads)[number] | undefined;
      for (const candidate of heads) {
        if (candidate.head.done === true) continue;
        const earliest = first?.head;
        if (
          earliest === undefined ||
          earliest.done === true ||
          candidate.head.value.storedNanos < earliest.value.storedNanos
        ) {
          first = candidate;
        }
      }
      if (first === undefined || first.head.done === true) return;
      yield first.head.value;
      first.head = await first.source.next();
    }
  } finally {
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}

/** Passes on whatever comes first, until all sources have ended. */
export async function* inOrderOfArrival(sources: readonly Source[]): Source {
  const take = async (source: Source) => ({ source, taken: await source.next() });
  const waiting = new Map(sources.map((source) => [source, take(source)]));
  while (waiting.size > 0) {
    const { source, taken } = await Promise.race(waiting.values());
    if (taken.done === true) {
      waiting.delete(source);
    } else {
      yield taken.value;
      waiting.set(source, take(source));
    }
  }
}
