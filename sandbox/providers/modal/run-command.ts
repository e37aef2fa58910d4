/** Runs one program inside a sandbox to its end, with limits on time and output. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ContainerProcess, Sandbox } from "modal";
import { signalCarriersOf } from "./carriers.ts";
import { hasEnded } from "./failures.ts";

export interface ModalCommand {
  readonly argv: readonly [string, ...string[]];
  /** An absolute path inside; the image's own folder by default. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly stdin?: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Kept per stream; what comes after is read and dropped. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ModalCommandResult {
  /** 128 and the signal's number for a program that a signal ended; null after a timeout. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

/**
 * Modal has no call that ends a command. Everything that a command starts carries this variable, and
 * whoever carries it is killed when time is over or the caller has gone.
 */
const commandVariable = "PROLIFERATE_COMMAND";

/** For Modal's own limit, which only matters when this process dies in between. Whole seconds. */
const backstopMs = (timeoutMs: number): number => Math.ceil((timeoutMs + 60_000) / 1_000) * 1_000;

/** How long a killed command may take until its streams have ended. */
const killedMs = 10_000;

/**
 * Streams are resumed by offset in the SDK, so a dropped connection loses and repeats nothing.
 * @throws what the SDK throws; the reason of `signal` when it fires
 */
export const runCommand = async (
  sandbox: Sandbox,
  command: ModalCommand,
): Promise<ModalCommandResult> => {
  command.signal?.throwIfAborted();
  const id = randomUUID();
  const started = await sandbox.exec([...command.argv], {
    mode: "binary",
    env: { ...command.env, [commandVariable]: id },
    timeoutMs: backstopMs(command.timeoutMs),
    ...(command.cwd !== undefined && { workdir: command.cwd }),
  });
  const stdout = collect(started.stdout, command.maxOutputBytes);
  const stderr = collect(started.stderr, command.maxOutputBytes);
  const done = Promise.all([
    started.wait(),
    stdout.ended,
    stderr.ended,
    feed(started, command.stdin),
  ]);

  const outcome = await first(done, command);
  if (outcome.kind !== "ended") {
    // Whether it is gone shows in its streams, which end then. A sandbox that is gone itself refuses this.
    const kill = signalCarriersOf(`${commandVariable}=${id}`, "KILL");
    await sandbox
      .exec(kill, { stdout: "ignore", stderr: "ignore", timeoutMs: killedMs })
      .catch(() => null);
    await Promise.race([done.catch(() => null), delay(killedMs, undefined, { ref: false })]);
    await Promise.all([stdout.cancel(), stderr.cancel()]);
    command.signal?.throwIfAborted();
  }
  return {
    exitCode: outcome.kind === "ended" ? outcome.exitCode : null,
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
    truncated: stdout.truncated() || stderr.truncated(),
    timedOut: outcome.kind === "late",
  };
};

type Outcome =
  | { readonly kind: "ended"; readonly exitCode: number }
  | { readonly kind: "late" }
  | { readonly kind: "aborted" };

const first = async (
  done: Promise<readonly [number, ...unknown[]]>,
  { timeoutMs, signal }: ModalCommand,
): Promise<Outcome> => {
  const waiting = new AbortController();
  const stop = AbortSignal.any([waiting.signal, ...(signal ? [signal] : [])]);
  const late = delay(timeoutMs, { kind: "late" } as const, { signal: stop }).catch(
    () => ({ kind: "aborted" }) as const,
  );
  try {
    return await Promise.race([
      done.then(([exitCode]) => ({ kind: "ended", exitCode }) as const),
      late,
    ]);
  } finally {
    waiting.abort();
  }
};

/** One message of the SDK carries a chunk. */
const chunkBytes = 1024 * 1024;

/** A command that ends without reading all its input breaks the stream; its exit code tells the rest. */
const feed = async (
  { stdin }: ContainerProcess<Uint8Array>,
  input: string | Uint8Array | undefined,
): Promise<void> => {
  const bytes = Buffer.from(input ?? "");
  try {
    const writer = stdin.getWriter();
    for (let start = 0; start < bytes.length; start += chunkBytes) {
      await writer.write(bytes.subarray(start, start + chunkBytes));
    }
    await writer.close();
  } catch (error) {
    if (!hasEnded(error)) throw error;
  }
};

const collect = (stream: ReadableStream<Uint8Array>, limit: number) => {
  const chunks: Uint8Array[] = [];
  const reader = stream.getReader();
  let size = 0;
  let truncated = false;
  const readAll = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const kept = next.value.subarray(0, limit - size);
      truncated ||= kept.length < next.value.length;
      size += kept.length;
      if (kept.length > 0) chunks.push(kept);
    }
  };
  return {
    ended: readAll(),
    bytes: () => Buffer.concat(chunks),
    truncated: () => truncated,
    /** After a command's end that nobody waits for any more; what is read then is not wanted. */
    cancel: () => reader.cancel().catch(() => undefined),
  };
};
