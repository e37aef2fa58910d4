/** Runs one program to its end, with limits on time and output. */
import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { DomainError } from "#contracts/errors";

export interface ProcessCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ProcessResult {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

/** Ends the program's whole group when the time is over or the signal fires; the latter throws its reason. */
export const runProcess = async (command: ProcessCommand): Promise<ProcessResult> => {
  command.signal?.throwIfAborted();
  const [program, ...args] = command.argv;
  const child = spawn(program, args, {
    cwd: command.cwd,
    env: command.env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const stdout = collect(child.stdout, command.maxOutputBytes);
  const stderr = collect(child.stderr, command.maxOutputBytes);
  // A program that ends without reading all its input breaks the pipe; its exit code tells the rest.
  child.stdin.on("error", () => undefined);
  child.stdin.end(command.stdin ?? "");

  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, command.timeoutMs);
  const onAbort = () => killGroup(child);
  command.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const exitCode = await ended(child);
    command.signal?.throwIfAborted();
    const truncated = stdout.truncated() || stderr.truncated();
    return { exitCode, stdout: stdout.bytes(), stderr: stderr.bytes(), truncated, timedOut };
  } finally {
    clearTimeout(timer);
    command.signal?.removeEventListener("abort", onAbort);
  }
};

/** How long output may still arrive after the end; a process left in the background keeps the pipe open. */
const drainMs = 500;

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once("error", (error) => reject(cannotStart(error)));
    child.once("close", (code: number | null) => resolve(code));
    child.once("exit", () => {
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, drainMs).unref();
    });
  });

const collect = (stream: Readable, limit: number) => {
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  stream.on("data", (chunk: Buffer) => {
    const kept = chunk.subarray(0, limit - size);
    truncated ||= kept.length < chunk.length;
    size += kept.length;
    if (kept.length > 0) chunks.push(kept);
  });
  return { bytes: () => Buffer.concat(chunks), truncated: () => truncated };
};

const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // ESRCH: the whole group has ended in the meantime.
  }
};

const cannotStart = (error: Error): DomainError =>
  new DomainError("sandbox_unavailable", `The program could not be started: ${error.message}`);
