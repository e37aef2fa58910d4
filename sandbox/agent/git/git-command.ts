/**
 * Git for changes. A program of its own, because simple-git tells no exit codes and takes no configuration
 * from the environment, which is where a credential has to be: command lines are seen by everybody.
 */
import { execFile } from "node:child_process";
import { DomainError } from "#contracts/errors";
import type { GitClientOptions } from "./git-client.ts";

export interface GitCommand {
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Added to the environment of this command. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds; 60,000 by default. */
  readonly timeoutMs?: number;
}

export interface GitOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const maxOutputBytes = 1024 * 1024;

/** Neither hooks nor signing: both would run what the agent has configured, in a person's name. */
const configuration = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "commit.gpgSign=false"];

/** @throws DomainError `git_failed` for a command that cannot be run, takes too long or says too much */
export const tryGit = (
  { folder, ceiling, searchPath, home }: GitClientOptions,
  { args, stdin = "", env = {}, timeoutMs = 60_000 }: GitCommand,
): Promise<GitOutcome> =>
  new Promise((resolve, reject) => {
    const settings = configuration.flatMap((setting) => ["-c", setting]);
    const child = execFile(
      "git",
      [...settings, ...args],
      {
        cwd: folder,
        timeout: timeoutMs,
        killSignal: "SIGKILL",
        maxBuffer: maxOutputBytes,
        env: {
          PATH: searchPath,
          HOME: home,
          LANG: "C.UTF-8",
          GIT_TERMINAL_PROMPT: "0",
          GIT_LITERAL_PATHSPECS: "1",
          GIT_CEILING_DIRECTORIES: ceiling,
          ...env,
        },
      },
      (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : error.code;
        if (typeof exitCode === "number") resolve({ exitCode, stdout, stderr });
        else
          reject(
            new DomainError("git_failed", `git ${args[0] ?? ""} could not be run to its end.`),
          );
      },
    );
    // A command that ends without reading breaks the pipe; its exit code is what counts.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(stdin);
  });

/** @throws DomainError `git_failed` with what git said */
export const git = async (options: GitClientOptions, command: GitCommand): Promise<string> => {
  const outcome = await tryGit(options, command);
  if (outcome.exitCode !== 0) throw gitFailed(outcome);
  return outcome.stdout;
};

export const gitFailed = ({ stderr, exitCode }: GitOutcome): DomainError => {
  const said = stderr.trim().split("\n")[0]?.slice(0, 300);
  return new DomainError("git_failed", `git: ${said || `it ended with ${exitCode}`}`);
};
