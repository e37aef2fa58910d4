/** A running Modal sandbox as the machine that every boot works on. */
import type { Sandbox } from "modal";
import { DomainError } from "#contracts/errors";
import type { SessionId } from "#contracts/ids";
import { commandFolder } from "../../boot/agent-files.ts";
import type { BootRecordStore, Machine } from "../../boot/machine.ts";
import type { Argv, ExecOptions, ExecResult, SandboxFiles } from "../../provider/exec.ts";
import { filesThrough } from "../files-through.ts";
import { modalPrograms } from "./programs.ts";
import { runCommand, type ModalCommand } from "./run-command.ts";

const defaultTimeoutMs = 120_000;
const defaultMaxOutputBytes = 1024 * 1024;
const smallStep = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 };

export interface ModalMachineOptions {
  readonly sandbox: Sandbox;
  readonly sessionId: SessionId;
  /** Asked each time, since tunnels change. */
  readonly urlOf: (port: number) => Promise<string>;
  readonly choosePorts: Machine["choosePorts"];
}

export const openModalMachine = async (options: ModalMachineOptions): Promise<Machine> => {
  const { sandbox, sessionId, urlOf, choosePorts } = options;
  const surroundings = await readSurroundings(sandbox);
  const { home } = surroundings;
  const workspace = `${home}/workspace`;
  const path = `${commandFolder({ home })}:${surroundings.path}`;

  const run = (command: ModalCommand) =>
    runCommand(sandbox, { ...command, env: { ...command.env, PATH: path } });

  const exec = async (argv: Argv, execOptions: ExecOptions = {}): Promise<ExecResult> => {
    const result = await run({
      ...execOptions,
      argv,
      cwd: execOptions.cwd ?? workspace,
      timeoutMs: execOptions.timeoutMs ?? defaultTimeoutMs,
      maxOutputBytes: execOptions.maxOutputBytes ?? defaultMaxOutputBytes,
    });
    return {
      exitCode: signalled(result.exitCode) ? null : result.exitCode,
      stdout: result.stdout.toString("utf8"),
      stderr: result.stderr.toString("utf8"),
      truncated: result.truncated,
      timedOut: result.timedOut,
    };
  };

  // In the home: the files may be written before there is a workspace.
  const files = filesThrough((command) => run({ ...command, cwd: home }));
  return {
    home,
    workspace,
    opencodeCommand: "opencode",
    listenHost: "0.0.0.0",
    files,
    record: recordIn(`${home}/.proliferate/run/boot.json`, files),
    exec,
    prepare: async () => {
      const made = await run({
        ...smallStep,
        argv: ["mkdir", "-p", "--", home, workspace],
        cwd: "/",
      });
      if (made.exitCode !== 0) throw unavailable(made.stderr.toString().trim());
    },
    choosePorts,
    urlOf,
    ...modalPrograms((argv, execOptions) => exec(argv, { cwd: home, ...execOptions }), {
      sessionId,
      folder: `${home}/.proliferate/run`,
      workspace,
    }),
  };
};

/** The image decides where the home is and which programs there are. */
const readSurroundings = async (sandbox: Sandbox) => {
  const argv = ["sh", "-c", 'printf "%s\\n%s" "$HOME" "$PATH"'] as const;
  const { exitCode, stdout, stderr } = await runCommand(sandbox, { ...smallStep, argv: [...argv] });
  const [home = "", path = ""] = stdout.toString("utf8").split("\n");
  if (exitCode !== 0 || !home.startsWith("/")) {
    throw unavailable(`the sandbox has no home. ${stderr.toString().trim()}`);
  }
  return { home, path };
};

const recordIn = (file: string, files: SandboxFiles): BootRecordStore => ({
  read: async () => {
    const content = await files.read(file);
    return content && Buffer.from(content).toString("utf8");
  },
  write: (text) => files.write(file, text, { mode: 0o600 }),
});

/** The SDK tells a signal as a shell does, by 128 and its number. A program's own code of that kind is rare. */
const signalled = (exitCode: number | null): boolean =>
  exitCode !== null && exitCode > 128 && exitCode < 128 + 32;

const unavailable = (why: string): DomainError =>
  new DomainError("sandbox_unavailable", `The sandbox cannot be used: ${why}`);
