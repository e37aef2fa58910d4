import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import type { Sql } from "postgres";
import type { Lane } from "./lane.ts";
import { startShard } from "./project-shard.ts";
import type { Projection } from "./projection.ts";
import { startReporting } from "./reporting.ts";

export interface ProjectLogOptions {
  readonly store: EventStore;
  /**
   * Opens a pool of one connection (`maxConnections: 1`) to the schema that is projected into. It is called
   * again after each failure: postgres.js 3.4 mixes what a lost connection was answering into later results
   * (porsager/postgres#1215), so a pool that has lost one is not used any more.
   */
  readonly openSql: () => Sql;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly maxBatch?: number | undefined;
  readonly standbyMs?: number | undefined;
  readonly retryHaltedMs?: number | undefined;
  /** Whether a read model leaves the schema when it is built. */
  readonly isShadow?: boolean;
}

export interface LogProjecting {
  lanes(): readonly Lane[];
  /** Takes in read models, whose tables have to be there. */
  add(projections: readonly Projection[]): void;
  /** Lets go of a read model, which may be projected a little further. */
  remove(name: string): void;
  /** Resolves after the signal, when nothing is written any more. */
  readonly ended: Promise<void>;
}

/** Projects the whole log into the read models of one schema, each shard by itself. */
export const projectLog = (options: ProjectLogOptions): LogProjecting => {
  const { store, openSql, signal, maxBatch = 500, standbyMs = 1_000 } = options;
  const { retryHaltedMs = 30_000, isShadow = false, log } = options;
  const changed = (): void => reporting.changed();
  const common = { store, openSql, log, signal, maxBatch, standbyMs, retryHaltedMs, changed };
  const shards = Array.from({ length: store.shards }, (_, shard) =>
    startShard({ ...common, shard, isShadow }),
  );
  const lanes = (): readonly Lane[] => shards.flatMap((shard) => shard.lanes);
  const reporting = startReporting({ openSql, lanes, signal });
  return {
    lanes,
    add: (projections) => {
      for (const shard of shards) shard.add(projections);
    },
    remove: (name) => {
      for (const shard of shards) shard.remove(name);
    },
    ended: Promise.all(shards.map(({ ended }) => ended)).then(() => reporting.finish()),
  };
};
