/** Git inside a sandbox, with a credential that is there for one command only. */
import { DomainError } from "#contracts/errors";
import type { Argv, ExecResult } from "../provider/exec.ts";
import type { GitCredential } from "../provider/spec.ts";
import type { Machine } from "./machine.ts";

const transferTimeoutMs = 10 * 60_000;

/** How many repositories are transferred at a time. */
export const parallelTransfers = 3;

export interface GitCommand {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly credential?: GitCredential | undefined;
}

/** Runs `git` in the workspace, and answers however it ended. */
export const tryGit = (
  { exec }: Pick<Machine, "exec">,
  { args, signal, credential }: GitCommand,
): Promise<ExecResult> =>
  exec(["git", ...args], {
    timeoutMs: transferTimeoutMs,
    signal,
    env: gitEnvironment(credential),
  });

/** @throws DomainError `sandbox_boot_failed` with what git said */
export const git = async (machine: Pick<Machine, "exec">, command: GitCommand): Promise<void> => {
  const result = await tryGit(machine, command);
  if (result.exitCode !== 0) throw commandFailed(["git", ...command.args], result);
};

/**
 * The credential travels in the environment of this one command, so it is neither in the clone's
 * configuration nor in a command line, and no snapshot holds one that is stale. Only plain transports are
 * allowed: `ext::` would run programs.
 */
const gitEnvironment = (credential: GitCredential | undefined): Record<string, string> => ({
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file",
  ...(credential && {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.extraHeader",
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basicCredential(credential)}`,
  }),
});

/** `username:password` in base64, which also has to be kept out of error messages. */
export const basicCredential = (credential: GitCredential): string =>
  Buffer.from(`${credential.username}:${credential.password}`).toString("base64");

export const commandFailed = (argv: readonly string[] | Argv, result: ExecResult): DomainError => {
  const how = result.timedOut ? "took too long" : `ended with ${result.exitCode ?? "a signal"}`;
  return new DomainError(
    "sandbox_boot_failed",
    `${argv.slice(0, 2).join(" ")} ${how}: ${result.stderr.trim()}`,
  );
};
