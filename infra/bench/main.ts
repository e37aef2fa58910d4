/** `npm run bench [area…] [-- --json]`: figures as ratios to a floor measured in the same run. */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { benchAppend } from "#event-store/bench/append";
import { benchLoad } from "#event-store/bench/load";
import { benchCluster } from "#event-store/cluster/bench/crashes";
import { benchProject } from "#projections/bench/project";
import { benchSandbox } from "#sandbox/bench/sandbox";

const areas: Readonly<Record<string, (dataDir: string) => Promise<unknown>>> = {
  append: (dataDir) => benchAppend(dataDir),
  load: (dataDir) => benchLoad(dataDir),
  cluster: (dataDir) => benchCluster(dataDir),
  project: () => benchProject(),
  sandbox: (dataDir) => benchSandbox(dataDir),
};

const args = process.argv.slice(2);
const json = args.includes("--json");
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
  if (wanted.length > 0 && !wanted.includes(area)) {
    continue;
  }
  process.stderr.write(`${area} (load ${(loadavg()[0] ?? 0).toFixed(1)})…\n`);
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-bench-"));
  try {
    results[area] = await bench(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
process.stdout.write(`${JSON.stringify(results, null, json ? undefined : 2)}\n`);
