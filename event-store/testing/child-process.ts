/**
 * A program of this folder in a process of its own, which talks in lines and may be killed. It ends with
 * this process, however that ends.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundledProgram } from "#infra/process/bundled-program";

export interface TestProcess {
  /** What it has written so far. */
  readonly lines: readonly string[];
  /** Sends SIGSTOP or SIGCONT. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Ends it with SIGKILL; resolves when it is gone. Fine to call twice. */
  kill(): Promise<void>;
}

const followParent = new URL("../../infra/bootstrap/follow-parent.mjs", import.meta.url).pathname;

export const startTestProcess = async (
  program: URL,
  args: readonly string[],
): Promise<TestProcess> => {
  const child = spawn(
    process.execPath,
    ["--enable-source-maps", "--import", followParent, await bundledProgram(program), ...args],
    { stdio: ["ignore", "pipe", "inherit", "ipc"] },
  );
  const exited = once(child, "exit");
  const lines: string[] = [];
  if (child.stdout === null) throw new Error("The process has no output.");
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  return {
    lines,
    signal: (signal) => {
      child.kill(signal);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
};
