/** Keeps the read models up with the log: one loop for each shard. */
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import { lastSequence } from "#event-store/commit-feed";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import type { Sql } from "postgres";
import { modelsOf, openCheckpoint, readCheckpoint } from "./checkpoint.ts";
import {
  type Condition,
  type Problem,
  problemOf,
  type ShardState,
  startReporting,
} from "./condition.ts";
import { isLasting } from "./failure.ts";
import { followCarefully } from "./follow-carefully.ts";
import { prepareReadModels } from "./prepare.ts";
import { ProjectedElsewhere } from "./project-batch.ts";
import { rebuildReadModels } from "./rebuild.ts";
import type { Projection } from "./projection.ts";

export interface ProjectorOptions {
  readonly store: EventStore;
  /**
   * Opens a pool of one connection (`maxConnections: 1`) to the read models, or to the schema named. It
   * is called for each shard, and again after each failure: postgres.js 3.4 mixes what a lost connection was answering into later results
   * (porsager/postgres#1215), so a pool that has lost one is not used any more.
   */
  readonly openSql: (schema?: string) => Sql;
  readonly projections: readonly Projection[];
  readonly log: Log;
  /** How many commits one transaction takes at most. */
  readonly maxBatch?: number;
  /** How often a projector that stands by looks whether the other one still moves, in milliseconds. */
  readonly standbyMs?: number;
  /** How often a halted shard is tried again, in milliseconds: somebody may have put it right. */
  readonly retryHaltedMs?: number;
}

export interface ShardStatus {
  readonly shard: number;
  readonly state: ShardState;
  /** Why the shard is retrying or halted. */
  readonly problem: Problem | null;
  /** The newest sequence that this projector knows to be projected. */
  readonly checkpoint: number;
  /** How many commits of the log are not projected yet. */
  readonly lag: number;
}

export interface Projector extends AsyncDisposable {
  status(): Promise<readonly ShardStatus[]>;
  /** Ends after the batches that are being projected. Fine to call twice. */
  stop(): Promise<void>;
}

const retryDelaysMs = { first: 100, longest: 5_000 };

/**
 * Creates the tables where needed and starts to project, from where the checkpoints stand. Any number of
 * projectors may run on the same database: each commit is projected exactly once.
 */
export const startProjector = async (options: ProjectorOptions): Promise<Projector> => {
  const { store, openSql, projections, log, maxBatch = 500, standbyMs = 1_000 } = options;
  const { retryHaltedMs = 30_000 } = options;
  await using setup = disposable(openSql());
  if (setup.sql.options.max !== 1) {
    throw new DomainError(
      "configuration_invalid",
      "A projector needs pools of one connection each.",
    );
  }
  const preparation = await prepareReadModels(setup.sql, projections);
  if (preparation !== "unchanged") log.info({ preparation }, "the read models' tables were built");

  const stopping = new AbortController();
  const { signal } = stopping;
  const models = modelsOf(projections);
  const conditions = Array.from({ length: store.shards }, (): Condition => ({
    state: "standby",
    problem: null,
    checkpoint: 0,
  }));

  const reporting = startReporting({ openSql, models, conditions, signal });
  const change = (condition: Condition, state: ShardState, problem: Problem | null): void => {
    const same = condition.state === state && isSame(condition.problem, problem);
    Object.assign(condition, { state, problem });
    if (!same && state !== "standby") reporting.changed();
  };

  /** Projects until the signal comes, or throws. */
  const follow = async (sql: Sql, shard: number, condition: Condition): Promise<void> => {
    const { checkpoint, generation } = await openCheckpoint(sql, shard, models);
    condition.checkpoint = checkpoint;
    // a halted shard is only tried, until a batch goes well or there is nothing left to fail
    if (condition.state !== "halted" || (await lastSequence(store, shard)) === condition.checkpoint)
      change(condition, "projecting", null);
    await followCarefully(store, {
      target: { sql, projections, shard, generation },
      from: checkpoint,
      maxBatch,
      signal,
      projected: (reached) => {
        condition.checkpoint = reached;
        change(condition, "projecting", null);
      },
    });
  };

  /** Comes back when the checkpoint has stood still for a while: the other one idles, or is gone. */
  const standBy = async (sql: Sql, shard: number, condition: Condition): Promise<void> => {
    change(condition, "standby", null);
    let seen: number;
    do {
      seen = condition.checkpoint;
      await delay(standbyMs, undefined, { signal });
      condition.checkpoint = await readCheckpoint(sql, shard);
    } while (condition.checkpoint !== seen);
  };

  const followOrStandBy = async (shard: number, condition: Condition): Promise<void> => {
    await using pool = disposable(openSql());
    while (!signal.aborted) {
      try {
        await follow(pool.sql, shard, condition);
      } catch (error) {
        if (!(error instanceof ProjectedElsewhere)) throw error;
        await standBy(pool.sql, shard, condition);
      }
    }
  };

  /** Does the work until it ends, again and again where it fails; the shards are those it is done for. */
  const persist = async (work: () => Promise<void>, shards: readonly number[]): Promise<void> => {
    let attempt = 0;
    let failedAt = "";
    while (!signal.aborted) {
      try {
        await work();
        return;
      } catch (error) {
        if (signal.aborted) return;
        const affected = shards.flatMap((shard) => conditions[shard] ?? []);
        const stands = affected.map(({ checkpoint }) => checkpoint).join();
        attempt = stands === failedAt ? attempt + 1 : 1;
        failedAt = stands;
        const problem = problemOf(error);
        const known = affected.every((condition) => isSame(condition.problem, problem));
        const lasting = isLasting(error);
        const backoffMs = Math.min(retryDelaysMs.first * 2 ** (attempt - 1), retryDelaysMs.longest);
        const waitMs = lasting ? retryHaltedMs : backoffMs;
        for (const condition of affected)
          change(condition, lasting ? "halted" : "retrying", problem);
        if (!lasting)
          log.warn({ shards, err: error, waitMs }, "projecting has failed; it is tried again");
        else if (!known)
          log.error({ shards, err: error }, "the projection of these shards has halted");
        // a signal that comes meanwhile ends the loop by its condition
        await delay(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };

  const rebuild = async (): Promise<void> => {
    for (const condition of conditions) change(condition, "rebuilding", condition.problem);
    await rebuildReadModels({
      store,
      openSql,
      projections,
      maxBatch,
      signal,
      progressed: ({ checkpoints }) => {
        for (const [shard, condition] of conditions.entries())
          condition.checkpoint = checkpoints[shard] ?? 0;
      },
    });
    if (!signal.aborted) log.info({ models }, "the read models were built anew");
  };

  const run = async (): Promise<void> => {
    const shards = [...conditions.keys()];
    if (preparation === "outdated") await persist(rebuild, shards);
    await Promise.all(
      conditions.map((condition, shard) =>
        persist(() => followOrStandBy(shard, condition), [shard]),
      ),
    );
    for (const condition of conditions) condition.state = "stopped";
  };

  const loops = run();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all([loops, reporting.ended]);
  };
  const status = (): Promise<readonly ShardStatus[]> =>
    Promise.all(
      conditions.map(async ({ state, problem, checkpoint }, shard) => {
        const lag = Math.max(0, (await lastSequence(store, shard)) - checkpoint);
        return { shard, state, problem, checkpoint, lag };
      }),
    );
  return { status, stop, [Symbol.asyncDispose]: stop };
};

const isSame = (one: Problem | null, other: Problem | null): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const disposable = (sql: Sql): { readonly sql: Sql } & AsyncDisposable => ({
  sql,
  // nothing that counts is under way by then, and a lost connection would be waited for until the timeout
  [Symbol.asyncDispose]: () => sql.end({ timeout: 0 }),
});
