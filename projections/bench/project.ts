/** How fast the read models follow the log: `npm run bench project`. */
import { percentile } from "#event-store/bench/percentile";
import type { Sql } from "postgres";
import { auditProjection } from "../audit/projection.ts";
import { readModels } from "../read-models.ts";
import type { Projection } from "../runtime/projection.ts";
import { withBenchStack } from "./bench-stack.ts";
import { catchUpMs } from "./catch-up.ts";
import { copyFloor } from "./copy-floor.ts";
import { type Cost, costOf } from "./cpu.ts";
import { fillLog } from "./fill-log.ts";
import { measureVisible, type VisibleFigures } from "./visible.ts";

export interface ProjectBench extends VisibleFigures {
  /** From an empty checkpoint into the audit read model alone, one event to a commit. */
  readonly eventsPerSecond: number;
  /** A raw COPY of the same rows takes this share of the time. */
  readonly ratioToCopy: number;
  /** The same into all read models together. */
  readonly allModels: { readonly eventsPerSecond: number; readonly cpu: CpuFigures };
  /** What an event costs in the audit read model alone. */
  readonly cpu: CpuFigures;
  /** What its row costs a raw COPY. */
  readonly copyCpu: CpuFigures;
}

/** CPU time for each event, in microseconds. */
interface CpuFigures {
  readonly ownUs: number;
  readonly postgresUs: number;
}

const rounds = 3;
const median = (values: readonly number[]): number => percentile(values, 50);
const commitsPerSession = 178;

export const benchProject = (events = 120_000): Promise<ProjectBench> =>
  withBenchStack(async (stack) => {
    const { store, openSchema, openSql } = stack;
    const commits = await fillLog(store, { commits: events, commitsPerSession });
    const [audits, floors, alls]: [Cost[], Cost[], Cost[]] = [[], [], []];
    // In turn, so that all see the same machine; the first round warms everything up.
    for (let round = 0; round <= rounds; round += 1) {
      const sql = openSql();
      const catchUp = (openEmpty: () => Sql, projections: readonly Projection[]): Promise<Cost> =>
        costOf(sql, () => catchUpMs({ store, openSql: openEmpty, projections, commits }));
      const openAudit = await openSchema(`audit_${round}`);
      const audit = await catchUp(openAudit, [auditProjection]);
      const floor = await copyFloor(openAudit, await openSchema(`floor_${round}`));
      const all = await catchUp(await openSchema(`all_${round}`), readModels);
      if (round > 0) {
        audits.push(audit);
        floors.push(floor);
        alls.push(all);
        await sql`drop schema ${sql(`audit_${round}`)}, ${sql(`floor_${round}`)} cascade`;
      }
      await sql.end({ timeout: 5 });
    }
    const perSecond = (costs: readonly Cost[]): number =>
      Math.round((commits / median(costs.map(({ ms }) => ms))) * 1_000);
    const cpuOf = (costs: readonly Cost[]): CpuFigures => ({
      ownUs: median(costs.map(({ ownUs }) => ownUs / commits)),
      postgresUs: median(costs.map(({ postgresUs }) => postgresUs / commits)),
    });
    const last = `all_${rounds}`;
    return {
      eventsPerSecond: perSecond(audits),
      ratioToCopy: median(floors.map(({ ms }, round) => ms / (audits[round]?.ms ?? Infinity))),
      ...(await measureVisible(stack, last, { appends: 3_000, perSecond: 500 })),
      allModels: { eventsPerSecond: perSecond(alls), cpu: cpuOf(alls) },
      cpu: cpuOf(audits),
      copyCpu: cpuOf(floors),
    };
  });
