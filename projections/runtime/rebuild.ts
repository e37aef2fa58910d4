/** Builds read models anew from the log while the old ones serve, and puts them in their place. */
import { setTimeout as delay } from "node:timers/promises";
import { lastSequence } from "#event-store/reading/commit-feed";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import type { Sql } from "postgres";
import type { Lane } from "./lane.ts";
import { prepareReadModels } from "./prepare.ts";
import { type LogProjecting, projectLog } from "./project-log.ts";
import type { Projection } from "./projection.ts";
import { dropFromShadow, prepareShadow, shadowOf, swapShadow } from "./shadow.ts";

export interface RebuildProgress {
  /** The read models that are still being built. */
  readonly models: readonly string[];
  /** How they are doing in each shard. */
  readonly lanes: readonly Lane[];
  /** How many commits the slowest of them contains. */
  readonly commits: number;
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
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly maxBatch?: number;
  readonly standbyMs?: number;
  readonly retryHaltedMs?: number;
  /** Forgets what an earlier rebuild of them that was cut off has left. */
  readonly restart?: boolean;
  /** Whether to go on trying when all that is left has halted. */
  readonly persistent?: boolean;
  /** Told about every half second. */
  readonly progressed?: (progress: RebuildProgress) => void;
  /** Told when a read model's new tables serve. */
  readonly swapped?: (projection: Projection) => void;
}

/** How often the builder looks whether it has caught up, in milliseconds. */
const lookMs = { far: 500, near: 25 };
/** How many commits may be missing when it begins to look more often. */
const nearCommits = 1_000;

/**
 * Builds read models in a schema beside the live one, and puts each in its place when it has come to the
 * end of the log; readers wait for that one statement at most. They are built as they are projected: one
 * that halts does not stop the others. A rebuild that is cut off goes on where it stood when it is called
 * again. Several may work at once: each commit is projected once, and one of them swaps. Ends early at the
 * signal.
 *
 * @throws CommitNotProjected, or what else has halted all that is left, unless it is to be persistent;
 * DomainError `configuration_invalid` for an older program; what the log or Postgres throw. What is built
 * so far stays.
 */
export const rebuildReadModels = async (options: RebuildOptions): Promise<void> => {
  const { openSql, projections, signal, restart = false } = options;
  const sql = openSql();
  try {
    const [row] = await sql<{ schema: string }[]>`select current_schema() as schema`;
    const schema = row?.schema ?? "public";
    // an older program must not put its tables in the place of newer ones
    await prepareReadModels(sql, projections);
    const names = projections.map(({ name }) => name);
    if (restart) await dropFromShadow(sql, schema, names);
    const openShadow = (): Sql => openSql(shadowOf(schema));
    await prepareShadow({ sql, schema }, openShadow, projections);

    const ending = new AbortController();
    const building = projectLog({
      ...options,
      openSql: openShadow,
      isShadow: true,
      signal: AbortSignal.any([signal, ending.signal]),
    });
    try {
      building.add(projections);
      await swapAll(options, { sql, schema, building });
    } finally {
      ending.abort();
      await building.ended;
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
};

interface Building {
  readonly sql: Sql;
  readonly schema: string;
  readonly building: LogProjecting;
}

/** Comes back after the last swap, or at the signal. */
const swapAll = async (
  options: RebuildOptions,
  { sql, schema, building }: Building,
): Promise<void> => {
  const { store, signal, progressed, swapped, persistent = false } = options;
  const estimate = startEstimate();
  let left = options.projections;
  while (!signal.aborted) {
    const ends = await Promise.all(
      Array.from({ length: store.shards }, (_, shard) => lastSequence(store, shard)),
    );
    const end = sum(ends);
    const lanes = building.lanes();
    const doneOf = ({ name }: Projection): number => sum(lanesOf(lanes, name).map(checkpointOf));
    const commits = Math.min(...left.map(doneOf));
    const models = left.map(({ name }) => name);
    progressed?.({ models, lanes, commits, end, secondsLeft: estimate({ commits, end }) });

    const near = left.filter((projection) => end - doneOf(projection) < nearCommits);
    for (const model of near) {
      if ((await swapShadow(sql, { schema, model, shards: store.shards })) === "not yet") continue;
      left = left.filter((projection) => projection !== model);
      building.remove(model.name);
      swapped?.(model);
    }
    const halted = left.flatMap(
      ({ name }) => lanesOf(lanes, name).find(({ state }) => state === "halted") ?? [],
    );
    if (!persistent && left.length > 0 && halted.length === left.length) throw halted[0]?.failure;
    if (left.length === 0) return;
    const pauseMs = near.length > 0 ? lookMs.near : lookMs.far;
    // a signal that comes meanwhile ends the loop by its condition
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
};

const lanesOf = (lanes: readonly Lane[], name: string): readonly Lane[] =>
  lanes.filter(({ projection }) => projection.name === name);

const checkpointOf = ({ checkpoint }: Lane): number => checkpoint;

const startEstimate = () => {
  const began = performance.now();
  let first: number | null = null;
  return ({ commits, end }: Pick<RebuildProgress, "commits" | "end">): number | null => {
    first ??= commits;
    const speed = (commits - first) / (performance.now() - began);
    return speed > 0 ? Math.ceil(Math.max(0, end - commits) / speed / 1_000) : null;
  };
};

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
