/** A sandbox's folders and processes on this computer. */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import path from "node:path";
import getPort from "get-port";
import { DomainError } from "#contracts/errors";
import { commandFolder } from "../../boot/agent-files.ts";
import type { AgentServer, AgentServerLaunch, Machine } from "../../boot/machine.ts";
import type { ExecOptions, ExecResult } from "../../provider.ts";
import { fenceArguments } from "./bubblewrap.ts";
import { filesThrough } from "./files.ts";
import type { Isolation } from "./isolation.ts";
import { makeFolders, type Layout } from "./layout.ts";
import { isSameProcess, markerVariable, readProcess, type ProcessRef } from "./processes.ts";
import { runProcess, type ProcessCommand, type ProcessResult } from "./run-process.ts";

export interface LocalMachineOptions {
  readonly layout: Layout;
  readonly isolation: Isolation;
  readonly opencodeBinary: string;
  /** What the fence lets through for reading, besides the system: programs, local repositories. */
  readonly readable: readonly string[];
  /** For everything that runs inside. */
  readonly environment: Readonly<Record<string, string>>;
  readonly searchPath: string;
  /** Ends all processes of the sandbox. */
  readonly endProcesses: () => Promise<void>;
}

interface LocalAgentServer extends AgentServer {
  readonly process: ProcessRef;
}

export type LocalMachine = Machine<LocalAgentServer>;

const defaultTimeoutMs = 120_000;
const defaultMaxOutputBytes = 1024 * 1024;
const logTailBytes = 2_000;

export const localMachine = (options: LocalMachineOptions): LocalMachine => {
  const { layout } = options;

  const fence = (argv: readonly [string, ...string[]], cwd: string, dieWithParent: boolean) => {
    if (options.isolation.kind === "none") return Promise.resolve(argv);
    const { command } = options.isolation;
    return fenceArguments({ command, layout, readable: options.readable, cwd, dieWithParent }).then(
      (prefix): [string, ...string[]] => [...prefix, ...argv],
    );
  };

  const environment = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    LANG: "C.UTF-8",
    ...options.environment,
    ...more,
    PATH: `${commandFolder(layout)}:${options.searchPath}`,
    HOME: layout.home,
    TMPDIR: layout.temporary,
    [markerVariable]: layout.id,
  });

  const run = async (
    command: Omit<ProcessCommand, "cwd" | "env"> & Pick<ExecOptions, "cwd" | "env">,
  ): Promise<ProcessResult> => {
    const cwd = command.cwd ?? layout.workspace;
    const argv = await fence(command.argv, cwd, true);
    return runProcess({ ...command, argv, cwd, env: environment(command.env) });
  };

  const exec = async (
    argv: readonly [string, ...string[]],
    execOptions: ExecOptions = {},
  ): Promise<ExecResult> => {
    const result = await run({
      ...execOptions,
      argv,
      timeoutMs: execOptions.timeoutMs ?? defaultTimeoutMs,
      maxOutputBytes: execOptions.maxOutputBytes ?? defaultMaxOutputBytes,
    });
    return {
      ...result,
      stdout: result.stdout.toString("utf8"),
      stderr: result.stderr.toString("utf8"),
    };
  };

  const launch = async ({ env }: AgentServerLaunch): Promise<LocalAgentServer> => {
    const port = await getPort({ host: "127.0.0.1", port: candidatePorts() });
    const serve = ["serve", "--hostname", "127.0.0.1", "--port", String(port)];
    const argv = await fence([options.opencodeBinary, ...serve], layout.workspace, false);
    const log = path.join(layout.run, "server.log");
    const ref = await startDetached({ argv, log, cwd: layout.workspace, env: environment(env) });
    return {
      process: ref,
      baseUrl: `http://127.0.0.1:${port}`,
      running: () => isSameProcess(ref),
      logTail: async () => (await readFile(log, "utf8")).slice(-logTailBytes).trim(),
      stop: options.endProcesses,
    };
  };

  return {
    home: layout.home,
    workspace: layout.workspace,
    files: filesThrough(run),
    prepare: () => makeFolders(layout),
    exec,
    launch,
  };
};

/**
 * Below the range from which Linux takes ports for outgoing connections and for whoever asks for any port:
 * between our look and the server's start nobody gets one of these by chance.
 */
const candidatePorts = (): number[] => Array.from({ length: 20 }, () => randomInt(20_000, 32_000));

interface DetachedStart {
  readonly argv: readonly [string, ...string[]];
  readonly log: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** Its output goes to a file and not to a pipe, so the program outlives this process. */
const startDetached = async (start: DetachedStart): Promise<ProcessRef> => {
  await using log = await open(start.log, "w", 0o600);
  const [program, ...args] = start.argv;
  const child = spawn(program, args, {
    cwd: start.cwd,
    env: start.env,
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child.pid ?? 0));
  });
  child.unref();
  const stat = await readProcess(pid);
  if (stat === null) {
    const said = (await readFile(start.log, "utf8")).slice(-logTailBytes).trim();
    throw new DomainError(
      "sandbox_unavailable",
      `The agent's server ended at once. It said: ${said}`,
    );
  }
  return { pid, startTime: stat.startTime };
};
