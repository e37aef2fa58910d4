import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { watchNpm } from "./npm-watch.mjs";
import { packageRoot } from "./package-root.mjs";

/** One Ctrl-C comes twice: from the terminal, and passed on by npm. */
const samePressMs = 500;

/**
 * Runs a program of this package and waits for it. Signals are passed on, and the program is told to
 * end when this process dies without one.
 *
 * @param {{ program: import("./commands.mjs").Program, args: string[] }} what
 * @returns {Promise<number>} its exit code; 128 + the number of the signal that ended it
 */
export function runProgram({ program, args }) {
  const child = spawn(
    process.execPath,
    [
      ...(program.nodeOptions ?? []),
      "--conditions=proliferate-source",
      ...["--import", "tsx"],
      ...["--import", join(packageRoot, "infra/bootstrap/follow-parent.mjs")],
      "--enable-source-maps",
      join(packageRoot, program.file),
      ...(program.args ?? []),
      ...args,
    ],
    // Its own process group: a Ctrl-C of the terminal comes only here and is passed on once.
    { cwd: packageRoot, stdio: ["inherit", "inherit", "inherit", "ipc"], detached: true },
  );
  const stopForwarding = forwardSignals(child);
  const stopWatching = watchNpm(() => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      stopForwarding();
      stopWatching();
      resolve(code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 0));
    });
  });
}

/** @param {import("node:child_process").ChildProcess} child */
function forwardSignals(child) {
  let lastInterrupt = -Infinity;
  const onInterrupt = () => {
    const now = performance.now();
    if (now - lastInterrupt > samePressMs) child.kill("SIGINT");
    lastInterrupt = now;
  };
  const onTerminate = () => child.kill("SIGTERM");
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  process.on("SIGHUP", onTerminate);
  return () => {
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onTerminate);
    process.off("SIGHUP", onTerminate);
  };
}
