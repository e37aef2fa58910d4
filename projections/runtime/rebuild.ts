/** Builds the read models anew from the log while the old ones serve, and puts them in their place. */
import { setTimeout as delay } from "node:timers/promises";
import { lastSequence } from "#event-store/commit-feed";
import type { EventStore } from "#event-store/event-store";
import type { Sql } from "postgres";
import { modelsOf, openCheckpoint } from "./checkpoint.ts";
import { followCarefully } from "./follow-carefully.ts";
import { prepareReadModels } from "./prepare.ts";
import { ProjectedElsewhere } from "./project-batch.ts";
import type { Projection } from "./projection.ts";
import { dropShadow, prepareShadow, shadowOf, swapShadow } from "./shadow.ts";

export interface RebuildProgress {
  /** How many commits the new tables contain, per shard. */
  readonly checkpoints: readonly number[];
  /** How many commits the log has. */
  readonly end: number;
  /** Estimated from the speed so far; null while that is not known. */
  readonly secondsLeft: number | null;
}

export interface RebuildOptions {
  readonly store: EventStore;
  /** Opens a pool of one connection to the live tables, or to the schema named. */
  readonly openSql: (schema?: string) => Sql;
  readonly projections: readonly Projection[];
  readonly signal: AbortSignal;
  readonly maxBatch?: number;
  /** Forgets what an earlier rebuild that was cut off has left. */
  readonly restart?: boolean;
  /** Told about every half second. */
  readonly progressed?: (progress: RebuildProgress) => void;
}

/** How often the builder looks whether it has caught up, in milliseconds. */
const lookMs = { far: 500, near: 25 };

/**
 * Builds all read models in a schema beside the live one, until they have come to the end of the log, and
 * swaps the two in one statement; readers wait for that one at most. A rebuild that is cut off goes on
 * where it stood when it is called again. Several may work at once: each commit is projected once, and
 * one of them swaps. Ends early, without the swap, at the signal.
 *
 * @throws CommitNotProjected; DomainError `configuration_invalid` for an older program; what the log or Postgres throw. What
 * is built so far stays.
 */
export const rebuildReadModels = async (options: RebuildOptions): Promise<void> => {
  const { store, openSql, projections, signal, restart = false } = options;
  const sql = openSql();
  try {
    const [row] = await sql<{ schema: string }[]>`select current_schema() as schema`;
    const schema = row?.schema ?? "public";
    // an older program must not put its tables in the place of newer ones
    await prepareReadModels(sql, projections);
    if (restart) await dropShadow(sql, schema);
    const openShadow = (): Sql => openSql(shadowOf(schema));
    await prepareShadow({ sql, schema }, openShadow, projections);

    const checkpoints = Array.from({ length: store.shards }, () => 0);
    const ending = new AbortController();
    const building = AbortSignal.any([signal, ending.signal]);
    const followers = checkpoints.map((_, shard) =>
      build(options, { shard, openShadow, checkpoints, signal: building }),
    );
    try {
      const swap = { schema, models: modelsOf(projections), shards: store.shards };
      await Promise.race([Promise.all(followers), swapAtEnd(options, sql, { checkpoints, swap })]);
    } finally {
      ending.abort();
      // what the swap pulls away from under the followers is no failure, and a first one is thrown above
      await Promise.allSettled(followers);
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
};

interface Building {
  readonly shard: number;
  readonly openShadow: () => Sql;
  readonly checkpoints: number[];
  readonly signal: AbortSignal;
}

const build = async (
  { store, projections, maxBatch = 500 }: RebuildOptions,
  { shard, openShadow, checkpoints, signal }: Building,
): Promise<void> => {
  const sql = openShadow();
  try {
    while (!signal.aborted) {
      const { checkpoint, generation } = await openCheckpoint(sql, shard, modelsOf(projections));
      checkpoints[shard] = checkpoint;
      try {
        await followCarefully(store, {
          target: { sql, projections, shard, generation },
          from: checkpoint,
          maxBatch,
          signal,
          projected: (reached) => {
            checkpoints[shard] = reached;
          },
        });
      } catch (error) {
        if (!(error instanceof ProjectedElsewhere)) throw error;
      }
    }
  } finally {
    await sql.end({ timeout: 0 });
  }
};

/** Comes back after the swap, or at the signal. */
const swapAtEnd = async (
  { store, signal, progressed }: RebuildOptions,
  sql: Sql,
  {
    checkpoints,
    swap,
  }: { readonly checkpoints: readonly number[]; readonly swap: Parameters<typeof swapShadow>[1] },
): Promise<void> => {
  const began = performance.now();
  let first: number | null = null;
  while (!signal.aborted) {
    const ends = await Promise.all(checkpoints.map((_, shard) => lastSequence(store, shard)));
    const end = sum(ends);
    const done = sum(checkpoints);
    first ??= done;
    const speed = (done - first) / (performance.now() - began);
    const secondsLeft = speed > 0 ? Math.ceil(Math.max(0, end - done) / speed / 1_000) : null;
    progressed?.({ checkpoints: [...checkpoints], end, secondsLeft });
    const near = end - done < 1_000;
    if (near && (await swapShadow(sql, swap))) return;
    // a signal that comes meanwhile ends the loop by its condition
    await delay(near ? lookMs.near : lookMs.far, undefined, { signal }).catch(() => undefined);
  }
};

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
