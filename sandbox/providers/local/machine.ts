/** A sandbox's folders and processes on this computer. */
import { randomInt } from "node:crypto";
import getPort from "get-port";
import { commandFolder } from "../../boot/agent-files.ts";
import type { Machine } from "../../boot/machine.ts";
import type { Argv, ExecOptions, ExecResult } from "../../provider/exec.ts";
import { fenceArguments } from "./bubblewrap.ts";
import type { ControlGroups } from "./control-group.ts";
import { filesThrough } from "../files-through.ts";
import type { Isolation } from "./isolation.ts";
import { makeFolders, type Layout } from "./layout.ts";
import { markerVariable } from "./processes.ts";
import { localPrograms } from "./programs.ts";
import { bootRecordStore, type Surroundings, writeSurroundings } from "./run-folder.ts";
import { runProcess, type ProcessCommand, type ProcessResult } from "./run-process.ts";

export interface LocalMachineOptions {
  readonly layout: Layout;
  readonly isolation: Isolation;
  readonly opencodeBinary: string;
  readonly surroundings: Surroundings;
  readonly searchPath: string;
  /** Null: what runs inside has no limits. */
  readonly controlGroups: ControlGroups | null;
}

const defaultTimeoutMs = 120_000;
const defaultMaxOutputBytes = 1024 * 1024;

export const localMachine = (options: LocalMachineOptions): Machine => {
  const { layout, surroundings } = options;

  const fence = async (argv: Argv, cwd: string, dieWithParent: boolean): Promise<Argv> => {
    if (options.isolation.kind === "none") return argv;
    const { command } = options.isolation;
    const { readable } = surroundings;
    const prefix = await fenceArguments({ command, layout, readable, cwd, dieWithParent });
    return [...prefix, ...argv];
  };

  const confine = async (argv: Argv, cwd: string, dieWithParent: boolean): Promise<Argv> => {
    const fenced = await fence(argv, cwd, dieWithParent);
    return options.controlGroups?.enter(layout.id, fenced) ?? fenced;
  };

  const environment = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    LANG: "C.UTF-8",
    ...surroundings.environment,
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
    const argv = await confine(command.argv, cwd, true);
    return runProcess({ ...command, argv, cwd, env: environment(command.env) });
  };

  const exec = async (argv: Argv, execOptions: ExecOptions = {}): Promise<ExecResult> => {
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

  const programs = localPrograms(layout, async ({ argv, env }) => ({
    argv: await confine(argv, layout.workspace, false),
    cwd: layout.workspace,
    env: environment(env),
  }));

  return {
    home: layout.home,
    workspace: layout.workspace,
    opencodeCommand: options.opencodeBinary,
    listenHost: "127.0.0.1",
    files: filesThrough(run),
    record: bootRecordStore(layout),
    prepare: async () => {
      await makeFolders(layout);
      await writeSurroundings(layout, surroundings);
    },
    exec,
    choosePorts: async () => ({
      opencode: await freePort(),
      preview: await freePort(),
      sidecar: await freePort(),
    }),
    urlOf: (port) => Promise.resolve(`http://127.0.0.1:${port}`),
    ...programs,
  };
};

/**
 * Below the range from which Linux takes ports for outgoing connections and for whoever asks for any port:
 * between our look and the server's start nobody gets one of these by chance.
 */
const freePort = (): Promise<number> =>
  getPort({
    host: "127.0.0.1",
    port: Array.from({ length: 20 }, () => randomInt(20_000, 32_000)),
  });
