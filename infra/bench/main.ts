/**
 * `npm run bench [area…] [-- --json] [-- --scale=0.1]`: figures as ratios to a floor measured in the same
 * run. The scale is a share of the usual size of a log, for those areas that fill one.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { benchAppend } from "#event-store/bench/append";
import { benchLoad } from "#event-store/bench/load";
import { benchCluster } from "#event-store/cluster/bench/crashes";
import { benchGrowth } from "#projections/bench/growth";
import { benchProject } from "#projections/bench/project";
import { benchRebuild } from "#projections/bench/rebuild";

type Bench = (dataDir: string, scale: number) => Promise<unknown>;

const areas: Readonly<Record<string, Bench>> = {
  append: (dataDir) => benchAppend(dataDir),
  load: (dataDir) => benchLoad(dataDir),
  cluster: (dataDir) => benchCluster(dataDir),
  project: (_dataDir, scale) => benchProject(120_000 * scale),
  rebuild: (_dataDir, scale) => benchRebuild(1_000_000 * scale),
  growth: (_dataDir, scale) => benchGrowth(scale),
};
/** What takes minutes, and is only run when it is named. */
const onRequest = ["growth"];

const args = process.argv.slice(2);
const json = args.includes("--json");
const scale = Number(args.find((argument) => argument.startsWith("--scale="))?.slice(8) ?? 1);
const wanted = args.filter((argument) => !argument.startsWith("--"));
const unknown = wanted.filter((area) => !(area in areas));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no area ${unknown.join(", ")}; there are ${Object.keys(areas).join(", ")}.\n`,
  );
  process.exit(2);
}

const results: Record<string, unknown> = {};
for (const [area, bench] of Object.entries(areas)) {
  if (wanted.length > 0 ? !wanted.includes(area) : onRequest.includes(area)) {
    continue;
  }
  process.stderr.write(`${area} (load ${(loadavg()[0] ?? 0).toFixed(1)})…\n`);
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-bench-"));
  try {
    results[area] = await bench(dataDir, scale);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
process.stdout.write(`${JSON.stringify(results, null, json ? undefined : 2)}\n`);
