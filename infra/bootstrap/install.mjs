import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withInstallLock } from "./install-lock.mjs";
import { packageRoot } from "./package-root.mjs";

const lockfile = join(packageRoot, "package-lock.json");
const installed = join(packageRoot, "node_modules");
/** What npm itself has installed last, which it writes at the end. */
const npmRecord = join(installed, ".package-lock.json");
/** What this module has seen to be installed. */
const marker = join(installed, ".proliferate-installed");

/** Installs the packages of the lockfile unless that has been done. Progress goes to stderr. */
export async function installIfStale() {
  const wanted = await fingerprint();
  if (await isInstalled(wanted)) return;
  await withInstallLock(packageRoot, async () => {
    // Another start may have done it while this one was waiting.
    if (await isInstalled(wanted)) return;
    if (!(await isNewerThanLockfile())) {
      process.stderr.write("installing packages (about a minute the first time)\n");
      await npmCi();
    }
    await writeFile(marker, wanted);
  });
}

/** Packages hold programs for one system, so a folder copied from another one does not count. */
async function fingerprint() {
  const hash = createHash("sha256").update(await readFile(lockfile));
  return `${process.platform}-${process.arch} ${hash.digest("hex")}\n`;
}

/** @param {string} wanted */
async function isInstalled(wanted) {
  return existsSync(marker) && (await readFile(marker, "utf8")) === wanted;
}

/** Whether somebody has installed by hand since the lockfile changed. */
async function isNewerThanLockfile() {
  if (!existsSync(npmRecord) || existsSync(marker)) return false;
  const [record, lock] = await Promise.all([stat(npmRecord), stat(lockfile)]);
  return record.mtimeMs >= lock.mtimeMs;
}

async function npmCi() {
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  // Under `npm run`, the same npm; it is a script, so it needs no shell.
  const npm = process.env["npm_execpath"];
  const [command, first] =
    npm !== undefined && npm.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const child = spawn(command, [...first, ...args], {
    cwd: packageRoot,
    stdio: ["ignore", 2, 2],
  });
  const code = await new Promise((resolve, reject) => {
    child.once("error", (error) => {
      reject(
        new Error(`The packages could not be installed: npm did not start (${error.message}).`),
      );
    });
    child.once("exit", resolve);
  });
  if (code !== 0) {
    throw new Error("The packages could not be installed: npm ci failed, see its output above.");
  }
}
