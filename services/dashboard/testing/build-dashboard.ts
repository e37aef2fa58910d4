import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Builds the dashboard from its sources to where the gateway looks for it. A process of its own, since
 * React is built for production only when `NODE_ENV` says so, and tests have their own.
 */
export const buildDashboard = async (): Promise<void> => {
  await promisify(execFile)(
    process.execPath,
    ["node_modules/vite/bin/vite.js", "build", "--config", "services/dashboard/vite.config.ts"],
    { cwd: root, env: { ...process.env, NODE_ENV: "production" } },
  );
};
