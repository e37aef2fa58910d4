/** One command inside an emulated sandbox: a real process group of this computer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { ServerError, Status } from "nice-grpc";
import type { ExecStatus } from "./messages.ts";
import { outputLog, type OutputLog } from "./output-log.ts";

export interface ExecStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Seconds; the group is killed after them. */
  readonly timeoutSecs: number | undefined;
}

export interface EmulatedExec {
  /** By the protocol's numbers: 0 is standard output, 1 standard error. */
  readonly streams: readonly [OutputLog, OutputLog];
  status(): ExecStatus | null;
  /** Until it has ended or the caller is gone. */
  wait(signal: AbortSignal): Promise<ExecStatus>;
  /** Bytes that have been written already, as a client's repetition, are left out. */
  writeStdin(offset: number, data: Uint8Array, eof: boolean): void;
}

/** What a shell answers for a program that it cannot start. */
const cannotStart = 127;

export const startExec = (start: ExecStart): EmulatedExec => {
  const [program = "", ...args] = start.argv;
  const child = spawn(program, args, {
    cwd: start.cwd,
    env: start.env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let ended: ExecStatus | null = null;
  child.once("error", () => (ended ??= { code: cannotStart }));
  child.once("exit", (code, signal) => {
    ended ??= code === null ? { signal: constants.signals[signal ?? "SIGKILL"] } : { code };
  });
  // A process that ends without reading all its input breaks the pipe; its exit code tells the rest.
  child.stdin.on("error", () => undefined);

  const limit =
    start.timeoutSecs === undefined
      ? undefined
      : setTimeout(() => killGroup(child.pid), start.timeoutSecs * 1_000);
  const closed = once(child, "close").catch(() => undefined); // Not started: `error` has said so.
  void closed.finally(() => clearTimeout(limit));

  let written = 0;
  return {
    streams: [outputLog(child.stdout), outputLog(child.stderr)],
    status: () => ended,
    wait: async (signal) => {
      if (ended === null) {
        await Promise.race([once(child, "exit", { signal }), closed]);
      }
      return ended ?? { code: cannotStart };
    },
    writeStdin: (offset, data, eof) => {
      if (offset > written) {
        throw new ServerError(Status.FAILED_PRECONDITION, `Standard input is at ${written} bytes.`);
      }
      const fresh = data.subarray(written - offset);
      written += fresh.length;
      if (fresh.length > 0) child.stdin.write(fresh);
      if (eof) child.stdin.end();
    },
  };
};

const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // ESRCH: the whole group has ended in the meantime.
  }
};
