import type { SandboxCapabilities } from "../../provider/capabilities.ts";
import type { SandboxProvider } from "../../provider/provider.ts";
import type { RunningSandbox, SandboxRef } from "../../provider/sandbox.ts";

/** What a provider's tests bring along: the provider, and a way to look behind it. */
export interface ProviderHarness {
  /**
   * A provider on the same account or folder each time: two of them are a control plane before and after a
   * restart. The suite closes it.
   */
  open(): Promise<SandboxProvider>;
  /** As sandboxes reach it; with the branches `main` and `feature`, and `README.md` saying `on <branch>`. */
  readonly repositoryUrl: string;
  /** Ends the sandbox's processes behind the provider's back. */
  kill(sandbox: RunningSandbox): Promise<void>;
  /** What a sandbox has left behind: processes, folders and the like; empty when it is gone wholly. */
  leftovers(ref: SandboxRef): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ProviderContract {
  readonly type: string;
  /** Told before the provider is opened, since they decide which tests there are. */
  readonly capabilities: Omit<SandboxCapabilities, "isolated">;
  readonly harness: () => Promise<ProviderHarness>;
  /** Limit of one test in milliseconds; 120,000 by default. */
  readonly timeoutMs?: number;
}
