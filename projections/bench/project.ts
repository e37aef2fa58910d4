/** How fast the read models follow the log: `npm run bench project`. */
import { percentile } from "#event-store/bench/percentile";
import { auditProjection } from "../audit/projection.ts";
import { readModels } from "../read-models.ts";
import { withBenchStack } from "./bench-stack.ts";
import { catchUpMs } from "./catch-up.ts";
import { copyFloorMs } from "./copy-floor.ts";
import { fillLog } from "./fill-log.ts";
import { measureVisible, type VisibleFigures } from "./visible.ts";

export interface ProjectBench extends VisibleFigures {
  /** From an empty checkpoint into the audit read model alone, one event to a commit. */
  readonly eventsPerSecond: number;
  /** A raw COPY of the same rows takes this share of the time. */
  readonly ratioToCopy: number;
  /** The same into all read models together. */
  readonly allModels: { readonly eventsPerSecond: number };
}

const rounds = 3;
const commitsPerSession = 178;

export const benchProject = (events = 120_000): Promise<ProjectBench> =>
  withBenchStack(async (stack) => {
    const { store, openSchema, openSql } = stack;
    const commits = await fillLog(store, { commits: events, commitsPerSession });
    const [rates, ratios, allRates]: [number[], number[], number[]] = [[], [], []];
    // In turn, so that all see the same machine; the first round warms everything up.
    for (let round = 0; round <= rounds; round += 1) {
      const openAudit = await openSchema(`audit_${round}`);
      const audit = { store, openSql: openAudit, projections: [auditProjection], commits };
      const auditMs = await catchUpMs(audit);
      const floorMs = await copyFloorMs(openAudit, await openSchema(`floor_${round}`));
      const openAll = await openSchema(`all_${round}`);
      const allMs = await catchUpMs({ store, openSql: openAll, projections: readModels, commits });
      if (round === 0) continue;
      rates.push((commits / auditMs) * 1_000);
      ratios.push(floorMs / auditMs);
      allRates.push((commits / allMs) * 1_000);
      const sql = openSql();
      await sql`drop schema ${sql(`audit_${round}`)}, ${sql(`floor_${round}`)} cascade`;
      await sql.end({ timeout: 5 });
    }
    const last = `all_${rounds}`;
    return {
      eventsPerSecond: Math.round(percentile(rates, 50)),
      ratioToCopy: percentile(ratios, 50),
      ...(await measureVisible(stack, last, { appends: 3_000, perSecond: 500 })),
      allModels: { eventsPerSecond: Math.round(percentile(allRates, 50)) },
    };
  });
