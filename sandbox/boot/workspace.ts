/** Fills the workspace once: a clone of the repository, or an empty repository. */
import { DomainError } from "#contracts/errors";
import type { ExecResult, SandboxSpec } from "../provider.ts";
import type { Machine } from "./machine.ts";

const cloneTimeoutMs = 10 * 60_000;

/** Written last, so that a clone that was cut off is recognised and done again. */
export const workspaceMarker = (machine: Pick<Machine, "home">): string =>
  `${machine.home}/.proliferate/workspace.json`;

/** Leaves a filled workspace alone, so a resumed sandbox keeps the agent's work. */
export const fillWorkspace = async (
  machine: Machine,
  spec: Pick<SandboxSpec, "repository" | "gitCredential">,
  signal: AbortSignal,
): Promise<void> => {
  if (await machine.files.exists(workspaceMarker(machine))) return;
  const run = async (
    argv: readonly [string, ...string[]],
    env: Readonly<Record<string, string>> = {},
  ) => {
    const result = await machine.exec(argv, { timeoutMs: cloneTimeoutMs, signal, env });
    if (result.exitCode !== 0) throw commandFailed(argv, result);
  };
  await run(["find", machine.workspace, "-mindepth", "1", "-delete"]);
  if (spec.repository === null) {
    await run(["git", "init", "--quiet", "--initial-branch", "main", "."]);
  } else {
    const { url, ref } = spec.repository;
    await run(["git", "clone", "--quiet", "--", url, "."], cloneEnvironment(spec.gitCredential));
    if (ref !== "HEAD") await checkOut(ref, run);
  }
  await machine.files.write(
    workspaceMarker(machine),
    `${JSON.stringify({ version: 1, ...spec.repository })}\n`,
  );
};

const checkOut = async (
  ref: string,
  run: (argv: readonly [string, ...string[]]) => Promise<void>,
) => {
  if (ref.startsWith("-")) {
    throw new DomainError(
      "sandbox_boot_failed",
      `"${ref}" cannot be the name of a branch, tag or commit.`,
    );
  }
  // With "--" git takes the name for a revision, or a branch of the remote, never for a file.
  await run(["git", "checkout", "--quiet", ref, "--"]);
};

/**
 * The credential travels in the environment of this one command, so it is neither in the clone's
 * configuration nor in a command line. Only plain transports are allowed: `ext::` would run programs.
 */
const cloneEnvironment = (credential: SandboxSpec["gitCredential"]): Record<string, string> => ({
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file",
  ...(credential && {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.extraHeader",
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basicCredential(credential)}`,
  }),
});

/** `username:password` in base64, which also has to be kept out of error messages. */
export const basicCredential = (credential: NonNullable<SandboxSpec["gitCredential"]>): string =>
  Buffer.from(`${credential.username}:${credential.password}`).toString("base64");

const commandFailed = (argv: readonly string[], result: ExecResult): DomainError => {
  const how = result.timedOut ? "took too long" : `ended with ${result.exitCode ?? "a signal"}`;
  return new DomainError(
    "sandbox_boot_failed",
    `${argv.slice(0, 2).join(" ")} ${how}: ${result.stderr.trim()}`,
  );
};
