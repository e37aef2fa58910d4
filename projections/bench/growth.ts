/** The same figures on small and large logs, and with few and many aggregates: `npm run bench growth`. */
import { performance } from "node:perf_hooks";
import { newId } from "#contracts/ids";
import { percentile } from "#event-store/bench/percentile";
import type { EventStore } from "#event-store/event-store";
import { type AggregateDefinition, loadAggregate } from "#event-store/aggregates/load";
import { readModels } from "../read-models.ts";
import * as events from "../testing/events.ts";
import { openLogWriter } from "../testing/log-writer.ts";
import { withBenchStack } from "./bench-stack.ts";
import { catchUpMs } from "./catch-up.ts";
import { fillLog, type FillOptions } from "./fill-log.ts";
import { measureVisible, type VisibleFigures } from "./visible.ts";

export interface GrowthFigures extends VisibleFigures {
  readonly commits: number;
  /** Sessions and their transcripts. */
  readonly aggregates: number;
  readonly appendSequentialPerSecond: number;
  readonly fold20P50Ms: number;
  /** Into all read models together, one event to a commit. */
  readonly projectEventsPerSecond: number;
}

/** Logs that differ in their length alone, and then in the number of their aggregates alone. */
const logs = [
  { commits: 10_000, commitsPerSession: 178 },
  { commits: 1_000_000, commitsPerSession: 178 },
  { commits: 200_000, commitsPerSession: 400 },
  { commits: 200_000, commitsPerSession: 1 },
] as const;

export const benchGrowth = async (scale = 1): Promise<readonly GrowthFigures[]> => {
  const figures: GrowthFigures[] = [];
  for (const { commits, commitsPerSession } of logs) {
    figures.push(await measureOn({ commits: commits * scale, commitsPerSession }));
  }
  return figures;
};

const measureOn = (log: FillOptions): Promise<GrowthFigures> =>
  withBenchStack(async (stack) => {
    const { store, openSchema } = stack;
    const commits = await fillLog(store, log);
    const openAll = await openSchema("grown");
    const ms = await catchUpMs({ store, openSql: openAll, projections: readModels, commits });
    const visible = await measureVisible(stack, "grown", { appends: 2_500, perSecond: 500 });
    const sessions = commits / log.commitsPerSession;
    return {
      commits,
      aggregates: log.commitsPerSession === 1 ? sessions : 2 * sessions,
      appendSequentialPerSecond: await measureAppends(store),
      fold20P50Ms: await measureLoads(store),
      projectEventsPerSecond: Math.round((commits / ms) * 1_000),
      ...visible,
    };
  });

const appends = 4_000;

const measureAppends = async (store: EventStore): Promise<number> => {
  const writer = openLogWriter(store);
  const ref = events.sessionRef(newId("organization"));
  const write = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      await writer.write(ref, [events.promptQueued()]);
    }
  };
  await write(appends / 10); // warms up
  const started = performance.now();
  await write(appends);
  return Math.round((appends / (performance.now() - started)) * 1_000);
};

/** Counts its events. */
const counter: AggregateDefinition<never, object, number> = {
  aggregate: "session",
  decider: { initialState: () => 0, decide: () => [], evolve: (count) => count + 1 },
};

const measureLoads = async (store: EventStore): Promise<number> => {
  const writer = openLogWriter(store);
  const refs = Array.from({ length: 20 }, () => events.sessionRef(newId("organization")));
  for (const ref of refs) {
    for (let index = 0; index < 20; index += 1) await writer.write(ref, [events.promptQueued()]);
  }
  const taken: number[] = [];
  for (let round = 0; round < 50; round += 1) {
    for (const ref of refs) {
      const started = performance.now();
      await loadAggregate(store, counter, ref);
      taken.push(performance.now() - started);
    }
  }
  // the first tenth warms everything up
  return percentile(taken.slice(100), 50);
};
