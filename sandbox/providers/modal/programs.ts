/**
 * The long-running programs of one sandbox. A file inside names each one's process and launch, so a later
 * control plane finds it; after a memory snapshot process ids are what they were, and the file is right again.
 */
import { randomUUID } from "node:crypto";
import { DomainError } from "#contracts/errors";
import type { Program, ProgramLaunch, ProgramName } from "../../boot/machine.ts";
import type { Argv, Exec, ExecOptions, ExecResult } from "../../provider/exec.ts";
import { endCarriersOf } from "./carriers.ts";

/** Both are carried by a program and by all that it starts. The first says which of a session's it is. */
const programVariable = "PROLIFERATE_PROGRAM";
/** An id that is used again belongs to another launch. */
const launchVariable = "PROLIFERATE_LAUNCH";

const logTailBytes = 2_000;
const stepTimeoutMs = 60_000;

/**
 * Its output goes to a file, and it leaves the session of the command that starts it: Modal takes no memory
 * snapshot while a command runs. Answers once the program's file is there.
 */
const launchScript = `set -e
file="$1" log="$2" id="$3"; shift 3
mkdir -p -- "$(dirname -- "$file")"
umask 077
rm -f -- "$file"
setsid sh -c '
  printf "%s %s\\n" "$$" "$2" > "$1.draft" && mv -f -- "$1.draft" "$1"
  shift 2
  umask 022
  exec "$@"
' sh "$file" "$id" "$@" < /dev/null > "$log" 2>&1 &
while [ ! -e "$file" ]; do sleep 0.05; done`;

/** Prints the launch's id if the process that the file names is of it; what has ended has no environment. */
const findScript = `read -r pid id 2>/dev/null < "$1" || exit 0
if tr '\\0' '\\n' 2>/dev/null < "/proc/$pid/environ" | grep -qxF -- "$2=$id"; then echo "$id"; fi`;

export interface ProgramPlace {
  /** Apart from those of other sessions, also where sandboxes do not hide processes from each other. */
  readonly sessionId: string;
  /** Inside; only the programs' own files are in it. */
  readonly folder: string;
  readonly workspace: string;
}

/** @param exec in a folder that is there before the workspace is */
export const modalPrograms = (exec: Exec, { sessionId, folder, workspace }: ProgramPlace) => {
  const file = (name: ProgramName) => `${folder}/${name}.pid`;
  const log = (name: ProgramName) => `${folder}/${name}.log`;
  const mark = (name: ProgramName) => `${name}@${sessionId}`;

  const run = async (argv: Argv, options: Pick<ExecOptions, "cwd" | "env"> = {}) => {
    const result = await exec(argv, { timeoutMs: stepTimeoutMs, ...options });
    if (result.exitCode !== 0) throw failed(argv, result);
    return result.stdout.trim();
  };

  const runningLaunch = (name: ProgramName): Promise<string> =>
    run(["sh", "-c", findScript, "sh", file(name), launchVariable]);

  const programOf = (name: ProgramName, launchId: string): Program => ({
    running: async () => (await runningLaunch(name)) === launchId,
    logTail: () => run(["tail", "-c", String(logTailBytes), "--", log(name)]),
    stop: async () => {
      await run(endCarriersOf(`${launchVariable}=${launchId}`));
    },
  });

  return {
    launch: async ({ name, argv, env }: ProgramLaunch): Promise<Program> => {
      // One that nobody knows of any more, since its launcher died, would keep the port.
      await run(endCarriersOf(`${programVariable}=${mark(name)}`));
      const launchId = randomUUID();
      await run(["sh", "-c", launchScript, "sh", file(name), log(name), launchId, ...argv], {
        cwd: workspace,
        env: { ...env, [programVariable]: mark(name), [launchVariable]: launchId },
      });
      return programOf(name, launchId);
    },
    find: async (name: ProgramName): Promise<Program | null> => {
      const launchId = await runningLaunch(name);
      return launchId === "" ? null : programOf(name, launchId);
    },
  };
};

const failed = (argv: Argv, result: ExecResult): DomainError => {
  const how = result.timedOut ? "took too long" : `ended with ${result.exitCode ?? "a signal"}`;
  return new DomainError(
    "sandbox_unavailable",
    `A step in the sandbox (${argv[0]}) ${how}: ${result.stderr.trim()}`,
  );
};
