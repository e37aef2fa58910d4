/**
 * Files with environment variables in a sandbox. The `proliferate env` command inside writes and removes
 * them by a specification that is kept in the sandbox, and takes values from a file of the sandbox's own.
 */
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { Argv, Exec, ExecResult } from "../provider/exec.ts";
import type { SandboxProvider } from "../provider/provider.ts";
import type { SandboxRef } from "../provider/sandbox.ts";
import { envFilePath } from "./agent-files.ts";
import type { Machine } from "./machine.ts";

const home = { home: "$HOME" };

export const envSpecPath = (machine: Pick<Machine, "home">): string =>
  `${machine.home}/.proliferate/env-spec.json`;

/** The paths are of this program's own making, and what is in the files reaches no shell unquoted. */
const envCommand = (verb: "apply" | "scrub"): Argv => {
  const spec = envSpecPath(home);
  return [
    "sh",
    "-c",
    `test ! -f "${spec}" || exec "$HOME/.local/bin/proliferate" env ${verb} --spec "$(cat "${spec}")"`,
  ];
};

/** Writes the files that the specification names; without one there is nothing to do. */
export const applyEnvFiles = (run: (argv: Argv) => Promise<ExecResult>): Promise<ExecResult> =>
  run(envCommand("apply"));

/** Removes the files that hold secrets. */
export const scrubEnvFiles = (run: (argv: Argv) => Promise<ExecResult>): Promise<ExecResult> =>
  run(envCommand("scrub"));

/**
 * Removes the file with the values that people have given, and hands them over; null without one.
 * @throws DomainError `snapshot_failed` when the file is there and cannot be read
 */
export const takeEnvValues = async (
  run: (argv: Argv) => Promise<ExecResult>,
): Promise<Readonly<Record<string, string>> | null> => {
  const file = envFilePath(home);
  const take = `test -f "${file}" || exit 3; cat "${file}" && rm -f "${file}"`;
  const { exitCode, stdout } = await run(["sh", "-c", take]);
  if (exitCode === 3) return null;
  const values = z.record(z.string(), z.string()).safeParse(exitCode === 0 ? parse(stdout) : null);
  if (values.success) return values.data;
  throw new DomainError("snapshot_failed", "The sandbox's values could not be put aside.");
};

/** Commands in a sandbox, through its provider; null where the provider runs none. */
export const runsIn = (
  provider: Pick<SandboxProvider, "capabilities" | "execCommand">,
  ref: SandboxRef,
): Exec | null => {
  const { execCommand } = provider;
  return provider.capabilities.exec && execCommand
    ? (argv, options) => execCommand.call(provider, ref, argv, options)
    : null;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Cut off or changed by the agent: the caller refuses it.
  }
};
