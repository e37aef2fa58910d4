import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "./package-root.mjs";

const config = "services/dashboard/vite.config.ts";
const sources = ["services/dashboard", "services/client", "contracts", "package-lock.json"];
const result = "dist/dashboard/index.html";

/** Builds the dashboard when a source of it is newer than what was built. Output goes to stderr. */
export async function buildDashboardIfStale() {
  if (!existsSync(join(packageRoot, config))) return;
  const built = await modifiedAt(join(packageRoot, result));
  const changes = await Promise.all(sources.map((path) => lastChange(join(packageRoot, path))));
  if (built > Math.max(...changes)) return;
  process.stderr.write("building the dashboard\n");
  await buildDashboard();
}

async function buildDashboard() {
  const vite = join(packageRoot, "node_modules/vite/bin/vite.js");
  const child = spawn(
    process.execPath,
    [vite, "build", "--config", config, "--logLevel", "warn", "--clearScreen", "false"],
    { cwd: packageRoot, stdio: ["ignore", 2, 2] },
  );
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) throw new Error("The dashboard could not be built, see the output above.");
}

/** @param {string} path a file, or a folder with all that is below it */
async function lastChange(path) {
  if (!existsSync(path)) return 0;
  const own = await modifiedAt(path);
  if (!(await stat(path)).isDirectory()) return own;
  const entries = await readdir(path, { recursive: true });
  const times = await Promise.all(entries.map((entry) => modifiedAt(join(path, entry))));
  return Math.max(own, ...times);
}

/** 0 for what is not there. @param {string} path */
async function modifiedAt(path) {
  return existsSync(path) ? (await stat(path)).mtimeMs : 0;
}
