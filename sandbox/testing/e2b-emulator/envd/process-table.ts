/** The programs that were started through envd in one sandbox. */
import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { spawn as spawnPty } from "@lydell/node-pty";
import { ConnectFailure } from "../reply.ts";

export interface ProcessConfig {
  readonly cmd: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly terminal: { readonly cols: number; readonly rows: number } | null;
}

export type ProcessEvent =
  | { readonly kind: "stdout" | "stderr" | "pty"; readonly data: Buffer }
  | { readonly kind: "end"; readonly exitCode: number; readonly status: string };

export interface EnvdProcess {
  readonly pid: number;
  readonly config: ProcessConfig;
  write(data: Buffer): void;
  closeStdin(): void;
  signal(name: "SIGTERM" | "SIGKILL"): void;
  resize(cols: number, rows: number): void;
  /** From now on; returns what ends the subscription. */
  subscribe(listener: (event: ProcessEvent) => void): () => void;
}

export interface ProcessTable {
  start(config: ProcessConfig): Promise<EnvdProcess>;
  /** @throws ConnectFailure `not_found` */
  get(pid: number): EnvdProcess;
  list(): readonly EnvdProcess[];
}

export const processTable = (): ProcessTable => {
  const running = new Map<number, EnvdProcess>();
  return {
    start: async (config) => {
      const folder = await stat(config.cwd).catch(() => null);
      if (!folder?.isDirectory()) {
        throw new ConnectFailure("invalid_argument", `cwd '${config.cwd}' does not exist`);
      }
      const started = config.terminal === null ? startPlain(config) : startInTerminal(config);
      running.set(started.pid, started);
      started.subscribe(({ kind }) => {
        if (kind === "end") running.delete(started.pid);
      });
      return started;
    },
    get: (pid) => {
      const found = running.get(pid);
      if (!found) throw new ConnectFailure("not_found", `process with pid ${pid} not found`);
      return found;
    },
    list: () => [...running.values()],
  };
};

const startPlain = (config: ProcessConfig): EnvdProcess => {
  const { listeners, publish, subscribe } = subscriptions();
  const child = spawn(config.cmd, config.args, {
    cwd: config.cwd,
    env: config.env,
    detached: true,
    stdio: [config.stdin ? "pipe" : "ignore", "pipe", "pipe"],
  });
  // A program that cannot be started has no process id; the error event tells nothing more.
  child.on("error", () => undefined);
  if (child.pid === undefined) {
    throw new ConnectFailure("invalid_argument", `cannot start ${config.cmd}`);
  }
  const { pid } = child;
  child.stdout?.on("data", (data: Buffer) => publish({ kind: "stdout", data }));
  child.stderr?.on("data", (data: Buffer) => publish({ kind: "stderr", data }));
  // A program may end without reading its input.
  child.stdin?.on("error", () => undefined);
  // As the real one: the end is told when the output is closed, also by the program's children.
  child.on("close", (code, signal) => {
    publish(endEvent(code, signal));
    listeners.clear();
  });
  return {
    pid,
    config,
    subscribe,
    write: (data) => void child.stdin?.write(data),
    closeStdin: () => void child.stdin?.end(),
    signal: (name) => void child.kill(name),
    resize: () => {
      throw new ConnectFailure("invalid_argument", "the process has no terminal");
    },
  };
};

const startInTerminal = (config: ProcessConfig): EnvdProcess => {
  const { listeners, publish, subscribe } = subscriptions();
  const terminal = spawnPty(config.cmd, [...config.args], {
    cwd: config.cwd,
    env: { ...config.env },
    ...config.terminal,
  });
  terminal.onData((text) => publish({ kind: "pty", data: Buffer.from(text) }));
  terminal.onExit(({ exitCode, signal }) => {
    publish(endEvent(signal ? null : exitCode, signal ? String(signal) : null));
    listeners.clear();
  });
  return {
    pid: terminal.pid,
    config,
    subscribe,
    write: (data) => terminal.write(data.toString()),
    closeStdin: () => {
      throw new ConnectFailure("invalid_argument", "a terminal has no input to close");
    },
    signal: (name) => terminal.kill(name),
    resize: (cols, rows) => terminal.resize(cols, rows),
  };
};

const subscriptions = () => {
  const listeners = new Set<(event: ProcessEvent) => void>();
  return {
    listeners,
    publish: (event: ProcessEvent) => {
      for (const listener of listeners) listener(event);
    },
    subscribe: (listener: (event: ProcessEvent) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

/** As Go's runtime words it: exit code -1 for a program that a signal ended. */
const endEvent = (code: number | null, signal: string | null): ProcessEvent =>
  code === null
    ? { kind: "end", exitCode: -1, status: `signal: ${signal ?? "unknown"}` }
    : { kind: "end", exitCode: code, status: `exit status ${code}` };
