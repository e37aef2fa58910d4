/** What the E2B provider is told, and what the SDK makes of it. */
import type { SandboxConnectOpts } from "e2b";
import { standardPorts, type SandboxPorts } from "../../boot/machine.ts";

export interface E2bSettings {
  readonly apiKey: string;
  /** Name or id of the template that sandboxes are made from; see infra/e2b. */
  readonly template: string;
  /** Of a self-hosted E2B; `e2b.app` by default. */
  readonly domain?: string;
  /** Base URL of the control interface; `https://api.<domain>` by default. */
  readonly apiUrl?: string;
  /** Base URL for all sandboxes' daemons, where they have no hosts of their own. */
  readonly sandboxUrl?: string;
  /**
   * Tells the sandboxes of this control plane from those of others with the same account: only its own
   * are listed, and put away when nobody owns them.
   */
  readonly namespace: string;
  /**
   * How long a sandbox runs without hearing from a control plane, in milliseconds; then E2B pauses it. A
   * provider renews it for the sandboxes that it has handed out.
   */
  readonly timeoutMs?: number;
  /** For one call to the control interface, in milliseconds. */
  readonly requestTimeoutMs?: number;
  /** Ports inside a sandbox, where sandboxes share one network; the usual ones by default. */
  readonly portsOf?: (sandboxId: string) => SandboxPorts;
  /** Base URL for a host of a sandbox's port; `https://<host>` by default. */
  readonly tunnelUrl?: (host: string) => Promise<string>;
}

const defaultDomain = "e2b.app";
export const defaultTimeoutMs = 15 * 60_000;
const defaultRequestTimeoutMs = 30_000;

/** Everything that the SDK would otherwise take from the process environment. */
export const connectionOf = (settings: E2bSettings) => {
  const { apiKey, domain = defaultDomain, sandboxUrl } = settings;
  return {
    apiKey,
    domain,
    debug: false,
    apiUrl: settings.apiUrl ?? `https://api.${domain}`,
    ...(sandboxUrl !== undefined && { sandboxUrl }),
    requestTimeoutMs: settings.requestTimeoutMs ?? defaultRequestTimeoutMs,
  } satisfies SandboxConnectOpts;
};

/** The address of one of a sandbox's ports. */
export const urlOfHost = (settings: E2bSettings, host: string): Promise<string> =>
  settings.tunnelUrl?.(host) ?? Promise.resolve(`https://${host}`);

export const portsOf = (settings: E2bSettings, sandboxId: string): SandboxPorts =>
  settings.portsOf?.(sandboxId) ?? standardPorts;
