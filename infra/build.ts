import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** `npm run build`: plain JavaScript with source maps in `dist`, and the dashboard beside it. */
const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const dashboardConfig = "services/dashboard/vite.config.ts";

/** Folders whose other files (SQL, prompts, …) are read at run time. `infra` has none of those. */
const foldersWithAssets = ["contracts", "event-store", "projections", "services", "sandbox"];

const run = async (program: string, ...args: readonly string[]): Promise<void> => {
  const child = spawn(process.execPath, [join(root, "node_modules", program), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) throw new Error(`The build failed: ${program} ended with ${String(code)}.`);
};

const isAsset = (path: string): boolean => {
  const inside = relative(root, path);
  if (inside === join("services", "dashboard")) return false;
  if (inside.split(sep).includes("testing")) return false;
  return !/\.tsx?$/.test(path);
};

await rm(dist, { recursive: true, force: true });
await run("typescript/bin/tsc", "-p", "infra/tsconfig.build.json");
for (const folder of foldersWithAssets) {
  await cp(join(root, folder), join(dist, folder), { recursive: true, filter: isAsset });
}
if (existsSync(join(root, dashboardConfig))) {
  await run("vite/bin/vite.js", "build", "--config", dashboardConfig);
}
