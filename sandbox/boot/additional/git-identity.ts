import { commandFailed } from "../git.ts";
import type { AdditionalBoot } from "./phase.ts";

/** In whose name the agent commits; without one it commits as the control plane's agent. */
export const setGitIdentity = async (
  { machine, spec: { gitIdentity } }: AdditionalBoot,
  signal: AbortSignal,
): Promise<void | "skipped"> => {
  if (!gitIdentity) return "skipped";
  for (const [key, value] of Object.entries(gitIdentity)) {
    const argv = ["git", "config", "--global", `user.${key}`, String(value)] as const;
    const result = await machine.exec(argv, { signal });
    if (result.exitCode !== 0) throw commandFailed(argv, result);
  }
};
