/**
 * The parts of a machine that need nothing but a POSIX shell, `setsid` and /proc inside: for sandboxes that
 * are reached only through a provider's calls for commands and files.
 */
import { DomainError } from "#contracts/errors";
import type { Argv, Exec, SandboxFiles } from "../provider/exec.ts";
import {
  standardPorts,
  type BootRecordStore,
  type Machine,
  type Program,
  type ProgramLaunch,
  type ProgramName,
} from "./machine.ts";

export interface ShellMachineOptions {
  readonly exec: Exec;
  readonly files: SandboxFiles;
  /** Absolute paths inside. */
  readonly home: string;
  readonly workspace: string;
}

type ShellParts = Pick<Machine, "record" | "prepare" | "choosePorts" | "launch" | "find">;

export const shellMachine = (options: ShellMachineOptions): ShellParts => {
  const { exec, files, home, workspace } = options;
  const runFolder = `${home}/.proliferate/run`;

  /** `$1` is always the run folder, `$2` the program's name. */
  const script = async (text: string, name: ProgramName, more: readonly string[] = []) => {
    const argv: Argv = ["sh", "-c", `${helpers}\n${text}`, "sh", runFolder, name, ...more];
    return exec(argv, { cwd: home });
  };

  const programOf = (name: ProgramName): Program => ({
    running: async () => (await script("lives", name)).exitCode === 0,
    logTail: async () => (await script('tail -c 2000 "$1/$2.log"', name)).stdout.trim(),
    stop: async () => {
      const { exitCode, stderr } = await script(stopScript, name);
      if (exitCode !== 0) throw failed("stop", name, stderr);
    },
  });

  return {
    record: recordIn(files, `${runFolder}/boot.json`),
    prepare: async () => {
      const made = await exec(["mkdir", "-p", "--", runFolder, workspace], { cwd: "/" });
      if (made.exitCode !== 0) {
        throw new DomainError("sandbox_unavailable", `No folders in the sandbox: ${made.stderr}`);
      }
    },
    choosePorts: () => Promise.resolve(standardPorts),
    launch: async ({ name, argv, env }: ProgramLaunch) => {
      const command: Argv = ["sh", "-c", `${helpers}\n${launchScript}`, "sh", runFolder, name];
      const started = await exec([...command, ...argv], { cwd: workspace, env });
      if (started.exitCode !== 0) throw failed("start", name, started.stderr);
      return programOf(name);
    },
    find: async (name: ProgramName) => {
      const program = programOf(name);
      return (await program.running()) ? program : null;
    },
  };
};

/** A process id alone may be reused; with its start time (field 22 of its status) it may not. */
const helpers = `
born() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" && $1 != "X" { print $20 }'; }
lives() {
  read -r pid time < "$folder/$name.pid" 2>/dev/null && [ -n "$time" ] && [ "$(born "$pid")" = "$time" ]
}
folder=$1; name=$2`;

/** The program leads a session of its own, so that no end of a command or a connection reaches it. */
const launchScript = `
umask 077
mkdir -p -- "$folder"
shift 2
setsid -- "$@" > "$folder/$name.log" 2>&1 < /dev/null &
echo "$! $(born $!)" > "$folder/$name.pid"`;

const stopScript = `
lives || exit 0
kill -TERM "-$pid"
for turn in 1 2 3 4 5 6 7 8 9 10; do lives || exit 0; sleep 0.1; done
kill -KILL "-$pid"
for turn in 1 2 3 4 5 6 7 8 9 10; do lives || exit 0; sleep 0.1; done
echo "process $pid does not end" >&2
exit 1`;

/** The agent could read and change it, as it could its own environment, where the password is too. */
const recordIn = (files: SandboxFiles, file: string): BootRecordStore => ({
  read: async () => {
    const content = await files.read(file);
    return content && Buffer.from(content).toString("utf8");
  },
  write: (text) => files.write(file, text, { mode: 0o600 }),
});

const failed = (verb: string, name: ProgramName, said: string): DomainError =>
  new DomainError("sandbox_unavailable", `Cannot ${verb} ${name} in the sandbox: ${said.trim()}`);
