/** Gives a session up, so that whoever comes next finds it well. */
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { Lease } from "#event-store/leases/leases";
import { requestActivation } from "#event-store/live/owner-activation";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { RunnerDeps } from "./owner-context.ts";

/**
 * - `another_runner`: one is there that takes the session, with its sandbox as it runs
 * - `later`: some runner takes it when there is something to do; the sandbox runs on
 * - `nobody`: there is no runner, so nothing may be left running
 */
export type Successor = "another_runner" | "later" | "nobody";

export interface Owned {
  readonly key: { readonly organization: OrganizationId; readonly session: SessionId };
  readonly lease: Lease;
  readonly sandbox: SandboxRef;
  readonly to: Successor;
}

/** Never throws: what is not put away or given back here runs out, and the next owner sees to it. */
export const letGo = async (
  { provider, store, log }: Pick<RunnerDeps, "provider" | "store" | "log">,
  { key, lease, sandbox, to }: Owned,
): Promise<void> => {
  const sessionId = key.session;
  try {
    if (to !== "nobody") {
      provider.handOver(sandbox);
    } else if (!lease.lost.aborted && provider.capabilities.pause) {
      // Only under the lease. Where the provider cannot pause, the next owner finds the sandbox running.
      const { state } = await provider.health(sandbox);
      if (state === "running") await provider.pause(sandbox);
    }
  } catch (error) {
    log.error({ err: error, sessionId }, "a sandbox could not be put away");
  }
  try {
    await lease.release();
    if (to === "another_runner") await requestActivation(store, key);
  } catch (error) {
    log.warn({ err: error, sessionId }, "a session is taken only once its lease has run out");
  }
};
