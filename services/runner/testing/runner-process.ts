/** A runner in a process of its own, which a test may kill. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundledProgram } from "#infra/process/bundled-program";

const program = new URL("../../main.ts", import.meta.url);

export interface RunnerProcess {
  readonly pid: number;
  /** Resolves when the process is gone, however that came. */
  readonly ended: Promise<unknown>;
  /** Ends the process with SIGKILL, or SIGTERM for an orderly end; resolves when it is gone. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

export interface RunnerProcessOptions {
  /** A program that announces itself as the role `runner` does. */
  readonly started?: URL;
  /** What it finds to do may kill it before it has announced itself. */
  readonly mortal?: boolean;
}

/** Starts the role `runner`, and resolves once it runs, or, if it is mortal, is dead already. */
export const startRunnerProcess = async (
  environment: Readonly<Record<string, string>>,
  { started = program, mortal = false }: RunnerProcessOptions = {},
): Promise<RunnerProcess> => {
  const child = spawn(process.execPath, ["--enable-source-maps", await bundledProgram(started)], {
    env: { ...process.env, ...environment, ROLES: "runner", CONNECTORS: "[]" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const running = (async () => {
    for await (const line of createInterface(child.stdout)) {
      if (line.startsWith("Running:")) {
        return true;
      }
    }
    return false;
  })();
  if (!(await running)) {
    await exited;
    if (!mortal || child.signalCode !== "SIGKILL") throw new Error("The runner did not start.");
  }
  if (child.pid === undefined) throw new Error("The runner has no process.");
  child.stdout.resume();
  return {
    pid: child.pid,
    ended: exited,
    end: async (signal) => {
      child.kill(signal);
      await exited;
    },
  };
};
