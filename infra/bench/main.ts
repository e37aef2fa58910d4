/**
 * `npm run bench [area…] [-- --json]`: figures as ratios to a floor measured in the same run. An area
 * with a dot in its name is a part of another, and is measured only when it is asked for: it installs
 * packages to compare with.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { benchAppend } from "#event-store/bench/append";
import { benchEmmett } from "#event-store/bench/emmett";
import { benchLoad } from "#event-store/bench/load";
import { benchCluster } from "#event-store/cluster/bench/crashes";
import { benchProject } from "#projections/bench/project";

const areas: Readonly<Record<string, (dataDir: string) => Promise<object>>> = {
  append: (dataDir) => benchAppend(dataDir),
  "append.emmett": (dataDir) => benchEmmett(dataDir),
  load: (dataDir) => benchLoad(dataDir),
  cluster: (dataDir) => benchCluster(dataDir),
  project: () => benchProject(),
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

const results: Record<string, object> = {};
for (const [name, bench] of Object.entries(areas)) {
  const [area = name, part] = name.split(".");
  if (wanted.length > 0 ? !wanted.includes(name) : part !== undefined) {
    continue;
  }
  process.stderr.write(`${name} (load ${(loadavg()[0] ?? 0).toFixed(1)})…\n`);
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-bench-"));
  try {
    const figures = await bench(dataDir);
    results[area] = part === undefined ? figures : { ...results[area], [part]: figures };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
process.stdout.write(`${JSON.stringify(results, null, json ? undefined : 2)}\n`);
