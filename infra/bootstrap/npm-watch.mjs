import { readFileSync } from "node:fs";
import process from "node:process";

const pollMs = 500;

/**
 * Calls back once when the npm that runs this script has died. A killed npm leaves its script
 * running, and whoever killed it meant the script.
 *
 * @param {() => void} onDeath
 * @returns {() => void} ends the watch
 */
export function watchNpm(onDeath) {
  if (process.env["npm_lifecycle_event"] === undefined) return () => undefined;
  const before = npmProcess();
  const timer = setInterval(() => {
    if (npmProcess() === before) return;
    clearInterval(timer);
    onDeath();
  }, pollMs);
  return () => clearInterval(timer);
}

/**
 * The parent, or the parent's parent where npm's shell stays between the two. It becomes another one
 * when npm dies.
 */
function npmProcess() {
  const parent = process.ppid;
  if (process.platform !== "linux") return parent;
  try {
    const [, option, script] = readFileSync(`/proc/${parent}/cmdline`, "utf8").split("\0");
    if (option !== "-c" || !script?.includes("infra/bootstrap/run.mjs")) return parent;
    const status = readFileSync(`/proc/${parent}/status`, "utf8");
    return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
  } catch {
    // The parent has just died, so by the next look there is another one.
    return parent;
  }
}
