/** Keeps the read models up with the log, and builds those anew whose version has been raised. */
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import { lastSequence } from "#event-store/reading/commit-feed";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import type { Sql } from "postgres";
import type { LaneState, Problem } from "./condition.ts";
import { isLasting } from "./failure.ts";
import type { Lane } from "./lane.ts";
import { type Preparation, prepareReadModels } from "./prepare.ts";
import { projectLog } from "./project-log.ts";
import { rebuildReadModels } from "./rebuild.ts";
import type { Projection } from "./projection.ts";

export interface ProjectorOptions {
  readonly store: EventStore;
  /** Opens a pool of one connection (`maxConnections: 1`) to the read models, or to the schema named. */
  readonly openSql: (schema?: string) => Sql;
  readonly projections: readonly Projection[];
  readonly log: Log;
  /** How many commits one transaction takes at most. */
  readonly maxBatch?: number;
  /** How often a projector that stands by looks whether the other one still moves, in milliseconds. */
  readonly standbyMs?: number;
  /** How often a halted read model is tried again, in milliseconds: somebody may have put it right. */
  readonly retryHaltedMs?: number;
}

/** A read model in one shard of the log. */
export interface ModelStatus {
  readonly model: string;
  readonly shard: number;
  readonly state: LaneState | "rebuilding";
  /** Why it is retrying or halted. */
  readonly problem: Problem | null;
  /** The newest sequence that this projector knows to be projected. */
  readonly checkpoint: number;
  /** How many commits of the log are not projected yet. */
  readonly lag: number;
}

export interface Projector extends AsyncDisposable {
  status(): Promise<readonly ModelStatus[]>;
  /** Ends after the batches that are being projected. Fine to call twice. */
  stop(): Promise<void>;
}

/** How long a failed build waits before it is tried again, in milliseconds. */
const rebuildDelayMs = 2_000;

/**
 * Creates the tables where needed and starts to project, from where the checkpoints stand. Any number of
 * projectors may run on the same database: each commit is projected exactly once.
 */
export const startProjector = async (options: ProjectorOptions): Promise<Projector> => {
  const { store, openSql, projections, log, retryHaltedMs = 30_000 } = options;
  const preparation = await prepare(options);
  const { created } = preparation;
  if (created.length > 0) log.info({ models: created }, "the tables of read models were made");

  const stopping = new AbortController();
  const { signal } = stopping;
  const live = projectLog({ ...options, openSql: () => openSql(), signal });
  let building: readonly Lane[] = [];

  const rebuild = async (outdated: readonly Projection[]): Promise<void> => {
    await rebuildReadModels({
      ...options,
      projections: outdated,
      signal,
      persistent: true,
      progressed: ({ lanes }) => {
        building = lanes;
      },
      swapped: (projection) => {
        building = building.filter((lane) => lane.projection !== projection);
        live.add([projection]);
        log.info({ model: projection.name }, "a read model was built anew");
      },
    });
  };
  const rebuildOutdated = async ({ outdated }: Preparation): Promise<void> => {
    let left = outdated;
    while (left.length > 0 && !signal.aborted) {
      try {
        await rebuild(projections.filter(({ name }) => left.includes(name)));
        left = (await prepare(options)).outdated;
      } catch (err) {
        log.warn({ models: left, err }, "building read models anew has failed; it is tried again");
        const waitMs = isLasting(err) ? retryHaltedMs : rebuildDelayMs;
        // a signal that comes meanwhile ends the loop by its condition
        await delay(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };

  live.add(projections.filter(({ name }) => !preparation.outdated.includes(name)));
  const rebuilt = rebuildOutdated(preparation);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all([live.ended, rebuilt]);
  };
  const status = async (): Promise<readonly ModelStatus[]> => {
    const ends = await Promise.all(
      Array.from({ length: store.shards }, (_, shard) => lastSequence(store, shard)),
    );
    const statusOf = ({ projection, shard, state, problem, checkpoint }: Lane): ModelStatus => {
      const lag = Math.max(0, (ends[shard] ?? 0) - checkpoint);
      return { model: projection.name, shard, state, problem, checkpoint, lag };
    };
    const built = building
      .map(statusOf)
      .map((told) => (told.state === "halted" ? told : { ...told, state: "rebuilding" as const }));
    return [...live.lanes().map(statusOf), ...built];
  };
  return { status, stop, [Symbol.asyncDispose]: stop };
};

const prepare = async ({ openSql, projections }: ProjectorOptions): Promise<Preparation> => {
  const sql = openSql();
  try {
    if (sql.options.max !== 1) {
      throw new DomainError(
        "configuration_invalid",
        "A projector needs pools of one connection each.",
      );
    }
    return await prepareReadModels(sql, projections);
  } finally {
    await sql.end({ timeout: 0 });
  }
};
