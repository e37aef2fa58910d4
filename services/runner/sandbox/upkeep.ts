/** What an owner keeps up in the sandbox that runs, also while the agent answers. */
import type { RunningSandbox, SandboxRef } from "#sandbox/provider/sandbox";
import type { SessionState } from "../../sessions/aggregate/state.ts";
import type { OwnerContext } from "../owner-context.ts";
import { createSandboxEnvironment } from "./sandbox-environment.ts";
import { createServiceTrials } from "./service-trials.ts";

export interface Upkeep {
  /** Does what the state asks for; called whenever something new may be in the log. */
  bringUpToDate(ref: SandboxRef, sandbox: RunningSandbox, state: SessionState): Promise<void>;
  /** The sandbox is left; the next one may have nothing of it. */
  forget(): void;
}

/** @param wake called when there is something new for the owner to look at */
export const createUpkeep = (context: OwnerContext, wake: () => void): Upkeep => {
  const environment = createSandboxEnvironment(context);
  const trials = createServiceTrials(context, wake);
  return {
    bringUpToDate: async (ref, sandbox, state) => {
      await environment.bringUpToDate(ref, state);
      trials.keepUp(sandbox, state);
    },
    forget: () => {
      environment.forget();
      trials.callOff();
    },
  };
};
