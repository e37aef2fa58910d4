/** Takes the values that people give to the sandbox that runs. */
import { applyEnvFiles, runsIn } from "#sandbox/boot/env-files";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { SessionState } from "../../sessions/aggregate/state.ts";
import type { OwnerContext } from "../owner-context.ts";

export interface SandboxEnvironment {
  /**
   * Writes the values if any were given since the last time. A failure is logged, and tried again when the
   * owner looks next: an agent can do without them for a while.
   */
  bringUpToDate(sandbox: SandboxRef, state: SessionState): Promise<void>;
  /** The next sandbox may have none of them. */
  forget(): void;
}

export const createSandboxEnvironment = ({
  deps: { provider, values, log },
  organization,
  session,
}: OwnerContext): SandboxEnvironment => {
  let written = 0;
  return {
    bringUpToDate: async (sandbox, state) => {
      if (state.status === "none" || state.environment.version === written) return;
      const { names, version } = state.environment;
      try {
        const known = await values.read({ organization, session }, names);
        await provider.writeEnvFile(sandbox, known);
        const run = runsIn(provider, sandbox);
        if (run) await applyEnvFiles(run);
        written = version;
      } catch (error) {
        log.warn({ err: error, sessionId: session }, "a sandbox was not given its variables");
      }
    },
    forget: () => {
      written = 0;
    },
  };
};
