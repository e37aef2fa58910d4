import { existsSync } from "node:fs";
import { join } from "node:path";
import { commands } from "./commands.mjs";
import { buildDashboardIfStale } from "./dashboard.mjs";
import { installIfStale } from "./install.mjs";
import { packageRoot } from "./package-root.mjs";
import { runProgram } from "./run-program.mjs";

/**
 * Brings the repository into a state to run a command in, and runs it.
 *
 * @param {string[]} argv the command and its arguments
 * @returns {Promise<number>} the exit code
 */
export async function main([name, ...args]) {
  const command = Object.hasOwn(commands, name ?? "") ? commands[name] : undefined;
  if (command === undefined) {
    throw new Error(`Use one of the commands ${Object.keys(commands).join(", ")}.`);
  }
  await installIfStale();
  for (const step of command.before ?? []) {
    const code = await runProgram({ program: step, args: [] });
    if (code !== 0) return code;
  }
  if (command.dashboard === true) await buildDashboardIfStale();
  if (!existsSync(join(packageRoot, command.program.file))) {
    throw new Error(`The command ${name} is not there yet: ${command.program.file} is missing.`);
  }
  return runProgram({ program: command.program, args });
}
