/** Keeps the read models up with the log: one loop for each shard. */
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import { lastSequence } from "#event-store/commit-feed";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import type { Sql } from "postgres";
import { modelsOf, openCheckpoint, readCheckpoint } from "./checkpoint.ts";
import { isLasting } from "./failure.ts";
import { followLog } from "./follow-log.ts";
import { prepareReadModels } from "./prepare.ts";
import { ProjectedElsewhere } from "./project-batch.ts";
import type { Projection } from "./projection.ts";

export interface ProjectorOptions {
  readonly store: EventStore;
  /**
   * Opens a pool of one connection (`maxConnections: 1`) to the read models. It is called for each shard, and again after each
   * failure: postgres.js 3.4 mixes what a lost connection was answering into later results
   * (porsager/postgres#1215), so a pool that has lost one is not used any more.
   */
  readonly openSql: () => Sql;
  readonly projections: readonly Projection[];
  readonly log: Log;
  /** How many commits one transaction takes at most. */
  readonly maxBatch?: number;
  /** How often a projector that stands by looks whether the other one still moves, in milliseconds. */
  readonly standbyMs?: number;
}

/**
 * What a shard's loop does. `standby`: another process projects the shard. `retrying`: the log or the
 * database is away. `halted`: the shard holds something that cannot be projected, or was taken over by
 * another version; nothing happens until a process starts that can.
 */
export type ShardState = "projecting" | "standby" | "retrying" | "halted" | "stopped";

export interface ShardStatus {
  readonly shard: number;
  readonly state: ShardState;
  /** Why the shard is retrying or halted. */
  readonly problem: { readonly code: string; readonly message: string } | null;
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

interface Condition {
  state: ShardState;
  problem: ShardStatus["problem"];
  checkpoint: number;
}

const retryDelaysMs = { first: 100, longest: 5_000 };

/**
 * Creates the tables where needed and starts to project, from where the checkpoints stand. Any number of
 * projectors may run on the same database: each commit is projected exactly once.
 */
export const startProjector = async (options: ProjectorOptions): Promise<Projector> => {
  const { store, openSql, projections, log, maxBatch = 500, standbyMs = 1_000 } = options;
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
    state: "projecting",
    problem: null,
    checkpoint: 0,
  }));

  /** Projects until the signal comes, or throws. */
  const follow = async (sql: Sql, shard: number, condition: Condition): Promise<void> => {
    condition.checkpoint = await openCheckpoint(sql, shard, models);
    condition.state = "projecting";
    await followLog(store, {
      target: { sql, projections, shard },
      from: condition.checkpoint,
      maxBatch,
      signal,
      projected: (checkpoint) => {
        condition.checkpoint = checkpoint;
        condition.problem = null;
      },
    });
  };

  /** Comes back when the checkpoint has stood still for a while: the other one idles, or is gone. */
  const standBy = async (sql: Sql, shard: number, condition: Condition): Promise<void> => {
    condition.state = "standby";
    condition.problem = null;
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

  const project = async (shard: number, condition: Condition): Promise<void> => {
    let attempt = 0;
    while (!signal.aborted) {
      try {
        await followOrStandBy(shard, condition);
      } catch (error) {
        if (signal.aborted) break;
        // a batch that went well in between has cleared the problem
        attempt = condition.problem === null ? 1 : attempt + 1;
        condition.problem = problemOf(error);
        if (isLasting(error)) {
          condition.state = "halted";
          log.error({ shard, err: error }, "the projection of this shard has halted");
          return;
        }
        condition.state = "retrying";
        const waitMs = Math.min(retryDelaysMs.first * 2 ** (attempt - 1), retryDelaysMs.longest);
        log.warn({ shard, err: error, waitMs }, "a batch was not projected; it comes again");
        // a signal that comes meanwhile ends the loop by its condition
        await delay(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
    condition.state = "stopped";
  };

  const loops = Promise.all(conditions.map((condition, shard) => project(shard, condition)));
  const stop = async (): Promise<void> => {
    stopping.abort();
    await loops;
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

const disposable = (sql: Sql): { readonly sql: Sql } & AsyncDisposable => ({
  sql,
  // nothing that counts is under way by then, and a lost connection would be waited for until the timeout
  [Symbol.asyncDispose]: () => sql.end({ timeout: 0 }),
});

const problemOf = (error: unknown): { code: string; message: string } => {
  if (!(error instanceof Error)) return { code: "unknown", message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { code, message: error.message };
};
