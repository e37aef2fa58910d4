/** One sandbox: a folder, real processes, and a time after which it is paused or killed. */
import { randomBytes } from "node:crypto";
import {
  endSandboxProcesses,
  findSandboxProcesses,
  markerVariable,
} from "../../providers/local/processes.ts";
import { processTable, type ProcessTable } from "./envd/process-table.ts";
import { removeFolder, type PortMap, type SandboxFolder } from "./sandbox-folder.ts";

/** A request's answer, or a socket. */
export interface Breakable {
  destroy(): unknown;
  once(event: "close", listener: () => void): unknown;
}

export interface SandboxSettings {
  readonly id: string;
  readonly template: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly envVars: Readonly<Record<string, string>>;
  readonly folder: SandboxFolder;
  readonly ports: PortMap;
  readonly onTimeout: "pause" | "kill";
  readonly timeoutMs: number;
  /** Called once, when it has been killed by whomever. */
  readonly onKilled: () => void;
}

export interface EmulatedSandbox extends SandboxSettings {
  readonly accessToken: string;
  readonly processes: ProcessTable;
  readonly startedAt: Date;
  state(): "running" | "paused";
  endAt(): Date;
  environment(more: Readonly<Record<string, string>>): Record<string, string>;
  /** The sandbox's end from now on. */
  setTimeout(timeoutMs: number): void;
  /** Stops every process where it is, and breaks all connections. False when it is paused already. */
  pause(): Promise<boolean>;
  /** Its processes stand still during the work, and its connections are broken; then it goes on as it was. */
  standStill(work: () => Promise<void>): Promise<void>;
  /** @param boot a reboot goes on with the files only */
  resume(boot: "restore" | "reboot"): Promise<void>;
  kill(): Promise<void>;
  /** Breaks when the sandbox stops. */
  holdConnection(connection: Breakable): void;
}

export const startSandbox = (settings: SandboxSettings): EmulatedSandbox => {
  const { id, folder } = settings;
  const connections = new Set<Breakable>();
  let state: "running" | "paused" | "killed" = "running";
  let endAt = new Date(Date.now() + settings.timeoutMs);
  let timer: NodeJS.Timeout | undefined;
  /** Resuming overtakes no pause that is still stopping processes. */
  let stopped = Promise.resolve();

  const breakConnections = () => {
    for (const connection of connections) connection.destroy();
  };
  const pause = async (): Promise<boolean> => {
    if (state !== "running") return false;
    state = "paused";
    clearTimeout(timer);
    stopped = signalAll(id, "SIGSTOP");
    await stopped;
    breakConnections();
    return true;
  };
  const kill = async (): Promise<void> => {
    if (state === "killed") return;
    state = "killed";
    clearTimeout(timer);
    breakConnections();
    await endSandboxProcesses(id, atOnce);
    await removeFolder(folder);
    settings.onKilled();
  };
  const setEnd = (timeoutMs: number) => {
    clearTimeout(timer);
    endAt = new Date(Date.now() + timeoutMs);
    timer = setTimeout(() => void (settings.onTimeout === "pause" ? pause() : kill()), timeoutMs);
  };
  setEnd(settings.timeoutMs);

  return {
    ...settings,
    accessToken: randomBytes(16).toString("hex"),
    processes: processTable(),
    startedAt: new Date(),
    state: () => (state === "running" ? "running" : "paused"),
    endAt: () => endAt,
    environment: (more) => ({
      PATH: process.env["PATH"] ?? "",
      LANG: "C.UTF-8",
      USER: "user",
      LOGNAME: "user",
      ...settings.envVars,
      ...more,
      HOME: folder.home,
      TMPDIR: folder.temporary,
      [markerVariable]: id,
    }),
    setTimeout: setEnd,
    pause,
    standStill: async (work) => {
      await signalAll(id, "SIGSTOP");
      breakConnections();
      try {
        await work();
      } finally {
        if (state === "running") await signalAll(id, "SIGCONT");
      }
    },
    resume: async (boot) => {
      if (state !== "paused") return;
      await stopped;
      if (boot === "restore") await signalAll(id, "SIGCONT");
      else await endSandboxProcesses(id, atOnce);
      state = "running";
    },
    kill,
    holdConnection: (connection) => {
      connections.add(connection);
      connection.once("close", () => connections.delete(connection));
    },
  };
};

const atOnce = { graceMs: 0, timeoutMs: 20_000 };

/** Until no process is left that has not got it: one may have started another in the meantime. */
const signalAll = async (id: string, signal: "SIGSTOP" | "SIGCONT"): Promise<void> => {
  const signalled = new Set<string>();
  for (let news = true; news;) {
    news = false;
    for (const { pid, startTime } of await findSandboxProcesses(id)) {
      if (signalled.has(`${pid} ${startTime}`)) continue;
      signalled.add(`${pid} ${startTime}`);
      news = true;
      try {
        process.kill(pid, signal);
      } catch {
        // ESRCH: it has just ended.
      }
    }
  }
};
