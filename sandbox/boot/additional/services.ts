/** Databases and other services that the image brings, and those that the repository needs. */
import { commandFailed } from "../git.ts";
import { commandFolder } from "../agent-files.ts";
import type { AdditionalBoot } from "./phase.ts";

const script = "/usr/local/bin/start-services.sh";

/** An image without that script has no services of its own. */
export const startImageServices = async (
  { machine }: AdditionalBoot,
  signal: AbortSignal,
): Promise<void | "skipped"> => {
  const there = await machine.exec(["test", "-x", script], { signal });
  if (there.exitCode !== 0) return "skipped";
  const result = await machine.exec([script], { signal });
  if (result.exitCode !== 0) throw commandFailed([script], result);
};

/**
 * Starts what a setup session has recorded, in a workspace that was there before: a fresh clone lacks what
 * the services depend on.
 */
export const startServiceCommands = async (
  { machine, spec: { serviceCommands = [] }, kept, environment }: AdditionalBoot,
  signal: AbortSignal,
): Promise<void | "skipped"> => {
  if (!kept || serviceCommands.length === 0) return "skipped";
  for (const { name, command, cwd, workspacePath } of serviceCommands) {
    const folder = [machine.workspace, workspacePath, cwd].filter(Boolean).join("/");
    const argv = [
      `${commandFolder(machine)}/proliferate`,
      ...["services", "start", "--name", name, "--command", command, "--cwd", folder],
    ] as const;
    const result = await machine.exec(argv, { signal, env: environment });
    if (result.exitCode !== 0) throw commandFailed(["service", name], result);
  }
};
