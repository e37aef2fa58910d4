/** Fills the workspace once: clones of the repositories, or an empty repository. */
import path from "node:path";
import { DomainError } from "#contracts/errors";
import type { Argv, ExecResult } from "../provider/exec.ts";
import type { GitCredential, RepositorySpec, SandboxSpec } from "../provider/spec.ts";
import type { Machine } from "./machine.ts";

const cloneTimeoutMs = 10 * 60_000;

/** Written last, so that a clone that was cut off is recognised and done again. */
export const workspaceMarker = (machine: Pick<Machine, "home">): string =>
  `${machine.home}/.proliferate/workspace.json`;

/** Leaves a filled workspace alone, so a resumed sandbox keeps the agent's work. */
export const fillWorkspace = async (
  machine: Machine,
  { repositories }: Pick<SandboxSpec, "repositories">,
  signal: AbortSignal,
): Promise<void> => {
  if (await machine.files.exists(workspaceMarker(machine))) return;
  refuseBadPlaces(repositories);
  const run: Run = async (argv, env = {}) => {
    const result = await machine.exec(argv, { timeoutMs: cloneTimeoutMs, signal, env });
    if (result.exitCode !== 0) throw commandFailed(argv, result);
  };
  await run(["find", machine.workspace, "-mindepth", "1", "-delete"]);
  if (repositories.length === 0) await run(["git", "init", "--quiet", "-b", "main", "."]);
  for (const repository of repositories) await clone(repository, run);
  const filledWith = repositories.map(({ url, ref, path: place }) => ({ url, ref, path: place }));
  await machine.files.write(
    workspaceMarker(machine),
    `${JSON.stringify({ version: 2, repositories: filledWith })}\n`,
  );
};

type Run = (argv: Argv, env?: Readonly<Record<string, string>>) => Promise<void>;

const clone = async (repository: RepositorySpec, run: Run): Promise<void> => {
  const { url, ref, path: place, credential } = repository;
  await run(["git", "clone", "--quiet", "--", url, place], cloneEnvironment(credential));
  if (ref === "HEAD") return;
  if (ref.startsWith("-")) {
    throw new DomainError(
      "sandbox_boot_failed",
      `"${ref}" cannot be the name of a branch, tag or commit.`,
    );
  }
  // With "--" git takes the name for a revision, or a branch of the remote, never for a file.
  await run(["git", "-C", place, "checkout", "--quiet", ref, "--"]);
};

/** Each repository has a place of its own inside the workspace; `.` has room for no other. */
const refuseBadPlaces = (repositories: readonly RepositorySpec[]): void => {
  const places = repositories.map((repository) => path.posix.normalize(repository.path));
  for (const [index, place] of places.entries()) {
    const outside = path.posix.isAbsolute(place) || place.split("/")[0] === "..";
    const shared = places.some((other, at) => at !== index && isInside(other, place));
    if (outside || shared || place.startsWith("-")) {
      throw new DomainError(
        "sandbox_boot_failed",
        `"${repositories[index]?.path}" cannot be a repository's place in the workspace.`,
      );
    }
  }
};

const isInside = (inner: string, outer: string): boolean =>
  outer === "." || inner === outer || inner.startsWith(`${outer}/`);

/**
 * The credential travels in the environment of this one command, so it is neither in the clone's
 * configuration nor in a command line. Only plain transports are allowed: `ext::` would run programs.
 */
const cloneEnvironment = (credential: GitCredential | undefined): Record<string, string> => ({
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

const commandFailed = (argv: readonly string[], result: ExecResult): DomainError => {
  const how = result.timedOut ? "took too long" : `ended with ${result.exitCode ?? "a signal"}`;
  return new DomainError(
    "sandbox_boot_failed",
    `${argv.slice(0, 2).join(" ")} ${how}: ${result.stderr.trim()}`,
  );
};
