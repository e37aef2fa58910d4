import { lastSequence, openCommitFeed } from "./commit-feed.ts";
import type { EventStore } from "../event-store.ts";
import type { RecordedCommit } from "./recorded.ts";

/** Every commit up to the end that the log has now, shard after shard, each in order. */
export async function* readAll(store: EventStore): AsyncGenerator<RecordedCommit> {
  for (let shard = 0; shard < store.shards; shard += 1) {
    const end = await lastSequence(store, shard);
    if (end === 0) {
      continue;
    }
    for await (const batch of openCommitFeed(store, {
      shard,
      after: 0,
      signal: new AbortController().signal,
    })) {
      yield* batch.filter(({ sequence }) => sequence <= end);
      if ((batch.at(-1)?.sequence ?? 0) >= end) {
        break;
      }
    }
  }
}
