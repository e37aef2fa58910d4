import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "#contracts/ids";
import { percentile } from "#event-store/bench/percentile";
import { openLogWriter } from "../testing/log-writer.ts";
import { openProgress } from "../wait-for-position.ts";
import { readModels } from "../read-models.ts";
import { startProjector } from "../runtime/projector.ts";
import { type BenchStack, complaints } from "./bench-stack.ts";
import { visible } from "./catch-up.ts";
import { sessionCommits } from "./transcripts.ts";

export interface VisibleFigures {
  /** From the call of append until every read model shows it. */
  readonly visibleP50Ms: number;
  readonly visibleP99Ms: number;
}

/** Times single appends at a steady rate; the read models, in the schema given, are as far as the log. */
export const measureVisible = async (
  { store, openSql }: BenchStack,
  schema: string,
  { appends, perSecond }: { readonly appends: number; readonly perSecond: number },
): Promise<VisibleFigures> => {
  const sql = openSql(schema);
  try {
    await using _projector = await startProjector({
      store,
      openSql: () => openSql(schema),
      projections: readModels,
      log: complaints,
    });
    await using progress = await openProgress(sql);
    const writer = openLogWriter(store);
    const commits = sessionCommits(newId("organization"), Math.ceil(appends / 7));
    const measured: Promise<number>[] = [];
    const begun = performance.now();
    for (const [index, { ref, event }] of commits.slice(0, appends).entries()) {
      const early = begun + (index * 1_000) / perSecond - performance.now();
      if (early > 1) await delay(early);
      const started = performance.now();
      const position = await writer.write(ref, [event]);
      measured.push(visible(progress, position).then(() => performance.now() - started));
    }
    // the first tenth warms everything up
    const all = (await Promise.all(measured)).slice(appends / 10);
    return { visibleP50Ms: percentile(all, 50), visibleP99Ms: percentile(all, 99) };
  } finally {
    await sql.end({ timeout: 5 });
  }
};
