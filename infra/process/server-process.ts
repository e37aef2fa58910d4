import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { stopProcess } from "./running-processes.ts";

const shownLogCharacters = 1500;

export interface ServerProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** What the process list shows as its program; the search for orphans goes by it. */
  readonly argv0?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  /** Output goes to this file, emptied first: a pipe would break when this process dies first. */
  readonly logFile: string;
  /** Sent in turn by `stop`, each with the time that it gets. The first one also goes out when this process exits without `stop`. */
  readonly stopSignals: readonly [StopSignal, ...StopSignal[]];
}

export interface StopSignal {
  readonly signal: NodeJS.Signals;
  readonly waitMs: number;
}

/** A server that this process has started and must stop. */
export interface ServerProcess {
  readonly pid: number;
  /** Settles when the server has ended, wanted or not. */
  readonly exited: Promise<void>;
  hasExited(): boolean;
  /** The end of what it has written, for an error message. */
  logTail(): Promise<string>;
  /** Stops it and waits until it is gone. Fine to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a server in its own process group, so that a Ctrl-C on the terminal reaches only this
 * process, which then drains before it stops the server.
 */
export const startServerProcess = async (options: ServerProcessOptions): Promise<ServerProcess> => {
  const log = await open(options.logFile, "w", 0o600);
  const child = spawn(options.command, options.args, {
    detached: true,
    cwd: "/", // Another account may not enter the caller's.
    stdio: ["ignore", log.fd, log.fd],
    ...(options.argv0 === undefined ? {} : { argv0: options.argv0 }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  try {
    await once(child, "spawn");
  } finally {
    await log.close();
  }
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${options.command} was started but has no process id`);

  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stopOnExit = (): void => {
    if (!hasExited()) child.kill(options.stopSignals[0].signal);
  };
  process.once("exit", stopOnExit);
  void exited.then(() => process.off("exit", stopOnExit));

  return {
    pid,
    exited,
    hasExited,
    logTail: async () =>
      (await readFile(options.logFile, "utf8")).slice(-shownLogCharacters).trim(),
    stop: async () => {
      if (hasExited()) return;
      await stopProcess(pid, options.stopSignals);
      await exited;
    },
  };
};
