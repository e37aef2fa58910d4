/**
 * Processes that a benchmark consists of: what is measured has one of its own, and what puts load on it
 * has another. A worker answers one command after the other, over Node's own channel between processes.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { serverNodeOptions } from "../process/server-node-options.ts";

/** What a worker can be told to do; inputs and answers are plain JSON. */
export type WorkerCommands = Readonly<Record<string, (...input: never[]) => unknown>>;

export interface Worker<Commands extends WorkerCommands> {
  /** @throws Error what the command has failed with, or that the worker has ended */
  call<Name extends keyof Commands & string>(
    name: Name,
    ...input: Parameters<Commands[Name]>
  ): Promise<Awaited<ReturnType<Commands[Name]>>>;
  stop(): Promise<void>;
}

type Reply = { readonly answer: unknown } | { readonly error: string };

/**
 * Starts a program that calls {@link serveCommands}.
 * @param options of Node itself beside those of a process that serves, by default those that run TypeScript
 */
export const startWorker = <Commands extends WorkerCommands>(
  program: URL,
  options: readonly string[] = process.execArgv,
): Worker<Commands> => {
  const child = fork(program, {
    execArgv: [...serverNodeOptions, ...options, "--expose-gc"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  return {
    call: async (name, ...input) => {
      const replied = once(child, "message");
      child.send({ name, input });
      const [reply] = (await Promise.race([
        replied,
        exited.then(() => [{ error: `The worker of ${program.pathname} has ended.` }]),
      ])) as [Reply];
      if ("error" in reply) throw new Error(reply.error);
      return reply.answer as never;
    },
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
};

/** Answers the commands of the process that started this one, until that one is gone. */
export const serveCommands = (commands: WorkerCommands): void => {
  process.on("message", ({ name, input }: { name: string; input: never[] }) => {
    void (async () => {
      try {
        process.send?.({ answer: await commands[name]?.(...input) });
      } catch (error) {
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : name });
      }
    })();
  });
  process.once("disconnect", () => process.exit());
  // Between commands nothing else may keep the worker; what follows the parent has let go of the channel.
  process.channel?.ref();
};

/** What a process has used so far. */
export interface Usage {
  /** CPU time, in microseconds. */
  readonly cpuUs: number;
  /** What is in memory after a full collection of garbage, in bytes. */
  readonly rssBytes: number;
}

export const usageOfThisProcess = (): Usage => {
  globalThis.gc?.();
  return { cpuUs: cpuUsOfThisProcess(), rssBytes: process.memoryUsage.rss() };
};

/** CPU time that this process has used so far, in microseconds; collects no garbage. */
export const cpuUsOfThisProcess = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** What this process has in memory as it is, in MB. */
export const residentMb = (): number => Math.round(process.memoryUsage.rss() / 1_048_576);
