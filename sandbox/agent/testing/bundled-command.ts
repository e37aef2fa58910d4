/** The `proliferate` command as a sandbox has it: one file, in a folder of its own, run by Node. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { bundleCli } from "../bundle-cli.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** The whole environment but PATH. */
  readonly env: Readonly<Record<string, string>>;
}

export interface BundledCommand {
  readonly folder: string;
  run(args: readonly string[], options: RunOptions): Promise<Ended>;
  /** Starts the sidecar and waits until it listens. */
  startSidecar(
    configFile: string,
    options: RunOptions,
  ): Promise<{ readonly process: ChildProcess; readonly port: number }>;
  remove(): Promise<void>;
}

export const bundledCommand = async (): Promise<BundledCommand> => {
  const folder = await mkdtemp(path.join(tmpdir(), "proliferate-command-"));
  const file = path.join(folder, "proliferate.mjs");
  await writeFile(file, await bundleCli());
  const withPath = (env: RunOptions["env"]) => ({ PATH: process.env["PATH"], ...env });

  return {
    folder,
    run: (args, { cwd, env }) =>
      new Promise((resolve) => {
        const options = { cwd, env: withPath(env) };
        execFile(process.execPath, [file, ...args], options, (error, stdout, stderr) => {
          resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
        });
      }),
    startSidecar: async (configFile, { cwd, env }) => {
      const child = spawn(process.execPath, [file, "sidecar", "--config", configFile], {
        cwd,
        env: withPath(env),
        stdio: ["ignore", "ignore", "pipe"],
      });
      const said: string[] = [];
      for await (const line of createInterface(child.stderr)) {
        said.push(line);
        const port = /^The sidecar listens on \S+:(\d+)\.$/.exec(line)?.[1];
        if (port !== undefined) {
          child.stderr.resume(); // Nobody reads what comes after; it must not fill the pipe.
          return { process: child, port: Number(port) };
        }
      }
      throw new Error(`The sidecar has not started. It said: ${said.join("\n")}`);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};
