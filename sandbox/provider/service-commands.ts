/** Tries out the commands that start a project's services. */
import type { Exec } from "./exec.ts";
import { capOutput } from "./cap-output.ts";

export interface ServiceCommand {
  readonly name: string;
  /** For a shell. */
  readonly command: string;
  /** Relative to the workspace. */
  readonly cwd?: string;
}

export interface ServiceCommandResult {
  readonly name: string;
  /** A service is well when it is still running after the trial, or has ended with 0. */
  readonly ok: boolean;
  /** Null while it was still running. */
  readonly exitCode: number | null;
  /** Both streams, capped. */
  readonly output: string;
}

const defaultTrialMs = 15_000;

/** Runs each command for a while and ends it. */
export const testServiceCommandsThrough = async (
  exec: Exec,
  workspace: string,
  commands: readonly ServiceCommand[],
  trialMs = defaultTrialMs,
): Promise<readonly ServiceCommandResult[]> => {
  const results: ServiceCommandResult[] = [];
  for (const { name, command, cwd = "." } of commands) {
    const result = await exec(["sh", "-c", command], {
      cwd: `${workspace}/${cwd}`,
      timeoutMs: trialMs,
    });
    results.push({
      name,
      ok: result.timedOut || result.exitCode === 0,
      exitCode: result.timedOut ? null : result.exitCode,
      output: capOutput([result.stdout, result.stderr].filter(Boolean).join("\n")),
    });
  }
  return results;
};
