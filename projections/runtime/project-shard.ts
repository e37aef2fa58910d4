/**
 * Keeps several read models up with one shard of the log. Those that stand at the same place go on together,
 * and the log is read once for them; one that has halted, or is behind, goes its own way from its own
 * checkpoint, and joins the others again when it has caught up with them.
 *
 * This goes in rounds. In each one the lanes are grouped by their checkpoints, and the groups go on side by
 * side until something changes who belongs together.
 */
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import { lastSequence } from "#event-store/reading/commit-feed";
import type { Sql } from "postgres";
import { openCheckpoints, readCheckpoints } from "./checkpoint.ts";
import { changeLane, groupByCheckpoint, type Lane, newLane } from "./lane.ts";
import { projectGroup, type ProjectingOptions, settle } from "./project-group.ts";
import type { Projection } from "./projection.ts";

export interface ShardProjecting {
  readonly lanes: readonly Lane[];
  /** Takes in other read models. */
  add(projections: readonly Projection[]): void;
  /** Lets go of a read model, which may be projected a little further. */
  remove(name: string): void;
  /** Resolves after the signal. */
  readonly ended: Promise<void>;
}

export interface ShardOptions extends ProjectingOptions {
  readonly shard: number;
  /** How often is looked whether another process still projects what it does, in milliseconds. */
  readonly standbyMs: number;
  /** Whether a read model leaves the schema when it is built. */
  readonly isShadow: boolean;
}

/** Who is behind by no more batches than this is waited for at the start of a round. */
const batchesToWaitFor = 4;

export const startShard = (options: ShardOptions): ShardProjecting => {
  const { shard, signal } = options;
  let lanes: readonly Lane[] = [];
  let round = new AbortController();

  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      round = new AbortController();
      const { signal: over } = round;
      await playRound(options, lanes, {
        signal: AbortSignal.any([signal, over]),
        end: () => round.abort(),
      });
    }
    for (const lane of lanes) if (lane.state !== "halted") lane.state = "stopped";
  };
  const ended = loop();
  return {
    get lanes() {
      return lanes;
    },
    add: (projections) => {
      lanes = [...lanes, ...projections.map((projection) => newLane(projection, shard))];
      round.abort();
    },
    remove: (name) => {
      lanes = lanes.filter(({ projection }) => projection.name !== name);
      round.abort();
    },
    ended,
  };
};

interface Round {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

const playRound = async (
  options: ShardOptions,
  lanes: readonly Lane[],
  round: Round,
): Promise<void> => {
  const now = performance.now();
  const due = lanes.filter(({ restsUntil }) => restsUntil <= now);
  await claimLanes(options, due);
  const isReady = (lane: Lane): boolean => isOwn(lane) && lane.restsUntil <= now;
  await closeRanks(options, due.filter(isReady), round);
  // whoever else projects one of them is found out in the next round
  if (due.some(({ claim }) => claim === "contested")) return;
  const groups = groupByCheckpoint(due.filter(isReady));
  const front = groups[0]?.[0];
  await Promise.all([
    ...groups.map(async (group) => {
      const projected = (checkpoint: number): void => {
        if (front === undefined || group.includes(front)) return;
        if (front.checkpoint - checkpoint <= options.maxBatch) round.end();
      };
      await projectGroup(options, group, { signal: round.signal, projected });
      round.end();
    }),
    watch(
      options,
      lanes.filter(({ claim }) => claim === "elsewhere"),
      round,
    ),
    rest(lanes, now, round),
  ]);
};

const isOwn = ({ claim }: Lane): boolean => claim === "own";

/** Looks where the read models stand, and which of them another process projects. */
const claimLanes = async (options: ShardOptions, due: readonly Lane[]): Promise<void> => {
  const { store, openSql, shard, changed } = options;
  const claimed = due.filter(({ claim }) => claim !== "elsewhere");
  if (claimed.length === 0) return;
  const sql = openSql();
  try {
    const projections = claimed.map(({ projection }) => projection);
    const opened = await openCheckpoints(sql, shard, projections);
    const end = await lastSequence(store, shard);
    for (const lane of claimed) {
      const { name, version } = lane.projection;
      const stands = opened.find(({ model }) => model === name);
      if (stands === undefined && options.isShadow) {
        // it serves by now, and whoever builds is about to let go of it
        lane.restsUntil = performance.now() + options.standbyMs;
        continue;
      }
      if (stands?.version !== version) {
        settle(options, [lane], replaced(lane, stands?.version));
        continue;
      }
      const { checkpoint, build } = stands;
      const moved = build === lane.build && checkpoint !== lane.checkpoint;
      lane.claim = lane.claim === "contested" && moved ? "elsewhere" : "own";
      Object.assign(lane, { checkpoint, build });
      if (lane.claim === "elsewhere") changeLane(lane, "standby");
      // one that had halted is only tried, until a batch goes well or there is nothing left to fail
      else if (lane.state !== "halted" || end === checkpoint) {
        if (changeLane(lane, "projecting")) changed();
      }
    }
  } catch (error) {
    settle(options, claimed, error);
  } finally {
    await sql.end({ timeout: 0 });
  }
};

const replaced = ({ projection, shard }: Lane, found: number | undefined): DomainError =>
  new DomainError(
    "configuration_invalid",
    `Another version of this program has taken over the read model "${projection.name}".`,
    { fields: { shard, found: found ?? null, own: projection.version } },
  );

/** Brings the lanes that are just behind to where the first ones stand, so that all go on together. */
const closeRanks = async (
  options: ShardOptions,
  lanes: readonly Lane[],
  { signal }: Round,
): Promise<void> => {
  const [front, ...others] = groupByCheckpoint(lanes);
  if (front === undefined) return;
  const until = front[0].checkpoint;
  for (const group of others) {
    if (until - group[0].checkpoint > batchesToWaitFor * options.maxBatch) return;
    await projectGroup(options, group, { signal, until });
  }
};

/** Ends the round when a lane stands still that another process projects: that one idles, or is gone. */
const watch = async (
  { openSql, shard, standbyMs }: ShardOptions,
  watched: readonly Lane[],
  round: Round,
): Promise<void> => {
  if (watched.length === 0) return;
  const names = watched.map(({ projection }) => projection.name);
  let sql: Sql | undefined;
  try {
    while (await pause(standbyMs, round.signal)) {
      sql ??= openSql();
      const stands = await readCheckpoints(sql, shard, names);
      for (const lane of watched) {
        const checkpoint = stands.get(lane.projection.name) ?? lane.checkpoint;
        if (checkpoint === lane.checkpoint) lane.claim = "own";
        lane.checkpoint = checkpoint;
      }
      if (watched.some(isOwn)) round.end();
    }
  } catch {
    // the database is away: whoever projects finds that too, and the next round looks again
    await pause(standbyMs, round.signal);
    round.end();
  } finally {
    await sql?.end({ timeout: 0 });
  }
};

/** Ends the round when one of the lanes that rested at its beginning has done so for long enough. */
const rest = async (lanes: readonly Lane[], began: number, round: Round): Promise<void> => {
  const until = lanes.map(({ restsUntil }) => restsUntil).filter((moment) => moment > began);
  // without any, only the signal ends it
  const ms = until.length === 0 ? maxPauseMs : Math.min(...until) - performance.now();
  if (await pause(Math.max(0, ms), round.signal)) round.end();
};

const maxPauseMs = 24 * 60 * 60_000;

/** Waits, and answers whether the time came before the signal. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal }).catch(() => false);
