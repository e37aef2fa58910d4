/**
 * `npm run bench [area…] [-- --json] [-- --scale=0.1]`: figures as ratios to a floor measured in the same
 * run. The scale is a share of the usual size of a log, or number of sessions, for those areas that have one. An area with a dot
 * in its name is a part of another.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { benchAppend } from "#event-store/bench/append";
import { benchEmmett } from "#event-store/bench/emmett";
import { benchLoad } from "#event-store/bench/load";
import { benchCluster } from "#event-store/cluster/bench/crashes";
import { measureFailover } from "#projections/bench/failover";
import { benchGrowth } from "#projections/bench/growth";
import { benchProject } from "#projections/bench/project";
import { benchRebuild } from "#projections/bench/rebuild";
import { benchSandbox } from "#sandbox/bench/sandbox";
import { benchSidecar } from "#sandbox/bench/sidecar";
import { benchFanout } from "#services/fanout/bench/fanout";
import { benchPrompts } from "#services/gateway/bench/prompts";
import { benchActions } from "#services/actions/bench/actions";
import { benchRunner } from "#services/runner/bench/runner";

type Bench = (dataDir: string, scale: number) => Promise<object>;

const areas: Readonly<Record<string, Bench>> = {
  append: (dataDir) => benchAppend(dataDir),
  "append.emmett": (dataDir) => benchEmmett(dataDir),
  load: (dataDir) => benchLoad(dataDir),
  cluster: (dataDir) => benchCluster(dataDir),
  project: async (_dataDir, scale) => ({
    ...(await benchProject(120_000 * scale)),
    ...(await measureFailover()),
  }),
  rebuild: (_dataDir, scale) => benchRebuild(1_000_000 * scale),
  growth: (_dataDir, scale) => benchGrowth(scale),
  fanout: (dataDir) => benchFanout(dataDir),
  http: (dataDir) => benchPrompts(dataDir),
  sandbox: async (dataDir) => ({
    ...(await benchSandbox(dataDir)),
    ...(await benchSidecar(dataDir)),
  }),
  actions: (dataDir) => benchActions(dataDir),
  runner: (dataDir, scale) => benchRunner(dataDir, scale),
};
/** What takes minutes, or installs packages to compare with, and is only run when it is named. */
const onRequest = ["append.emmett", "growth"];

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

const results: Record<string, object> = {};
for (const [name, bench] of Object.entries(areas)) {
  const [area = name, part] = name.split(".");
  if (wanted.length > 0 ? !wanted.includes(name) : onRequest.includes(name)) {
    continue;
  }
  process.stderr.write(`${name} (load ${(loadavg()[0] ?? 0).toFixed(1)})…\n`);
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-bench-"));
  try {
    const figures = await bench(dataDir, scale);
    results[area] = part === undefined ? figures : { ...results[area], [part]: figures };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
process.stdout.write(`${JSON.stringify(results, null, json ? undefined : 2)}\n`);
