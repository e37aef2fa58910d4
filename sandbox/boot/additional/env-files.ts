import { commandFailed } from "../git.ts";
import { applyEnvFiles, envSpecPath } from "../env-files.ts";
import type { AdditionalBoot } from "./phase.ts";

/** Writes the files with environment variables that the session's configuration names. */
export const writeEnvFiles = async (
  { machine, spec: { envFiles }, environment }: AdditionalBoot,
  signal: AbortSignal,
): Promise<void | "skipped"> => {
  const file = envSpecPath(machine);
  if (envFiles !== undefined) {
    await machine.files.write(file, JSON.stringify(envFiles), { mode: 0o600 });
  } else if (!(await machine.files.exists(file))) {
    return "skipped";
  }
  const result = await applyEnvFiles((argv) => machine.exec(argv, { signal, env: environment }));
  if (result.exitCode !== 0) throw commandFailed(["proliferate", "env"], result);
};
