/** Real pseudo terminals, where the native part of node-pty loads. */
import { DomainError } from "#contracts/errors";

export interface PtyOptions {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
}

export interface Pty {
  readonly pid: number;
  onOutput(listener: (text: string) => void): void;
  /** `exitCode` is 0 and `signal` a number when a signal ended it. */
  onExit(listener: (exit: { exitCode: number; signal: number }) => void): void;
  write(text: string): void;
  resize(columns: number, rows: number): void;
  /** Stops reading, so that the program waits when it prints more. */
  pause(): void;
  resume(): void;
  /** Sends SIGHUP, as closing a terminal does. */
  hangUp(): void;
}

/** @throws DomainError `terminal_unavailable` where there is no native part for this machine */
export const openPty = async (options: PtyOptions): Promise<Pty> => {
  const { spawn } = await loadNodePty();
  const [program, ...args] = options.argv;
  const child = spawn(program, args, {
    name: "xterm-256color",
    cwd: options.cwd,
    env: { ...options.env },
    cols: options.columns,
    rows: options.rows,
  });
  return {
    pid: child.pid,
    onOutput: (listener) => void child.onData(listener),
    onExit: (listener) =>
      void child.onExit(({ exitCode, signal }) => listener({ exitCode, signal: signal ?? 0 })),
    write: (text) => child.write(text),
    resize: (columns, rows) => {
      try {
        child.resize(columns, rows);
      } catch {
        // The shell has ended in this moment; its exit is on its way.
      }
    },
    pause: () => child.pause(),
    resume: () => child.resume(),
    hangUp: () => child.kill("SIGHUP"),
  };
};

const loadNodePty = () =>
  import("@lydell/node-pty").catch((error: unknown) => {
    throw new DomainError(
      "terminal_unavailable",
      `Terminals do not work on this machine (${process.platform}-${process.arch}).`,
      { cause: error },
    );
  });
