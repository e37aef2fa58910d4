/** The program's runner, on the sandboxes of a `sandbox-host.ts`. */
import { openLeases } from "#event-store/leases/leases";
import type { Platform } from "../../platform.ts";
import { openSecrets } from "../../secrets/secrets.ts";
import type { RunnerDeps } from "../owner-context.ts";
import { type Runner, startRunner } from "../runner.ts";
import { openSessionParts } from "../session-parts.ts";
import { hostedProvider } from "./hosted-provider.ts";

export interface HostedRunnerOptions {
  readonly hostUrl: string;
  /** Whether sandboxes can be paused. */
  readonly pauses: boolean;
  readonly capacity?: number;
  readonly leaseTtlMs?: number;
  readonly limits?: RunnerDeps["limits"];
}

export const startHostedRunner = async (
  { store, log, instance, sql, keys }: Platform,
  { hostUrl, pauses, capacity, leaseTtlMs, limits }: HostedRunnerOptions,
): Promise<Runner> =>
  startRunner({
    store,
    log,
    instance,
    provider: hostedProvider(hostUrl, pauses),
    leases: await openLeases(store, "owner", leaseTtlMs === undefined ? {} : { ttlMs: leaseTtlMs }),
    ...(await openSessionParts(
      { store, sql, log },
      {
        registry: { sourcesOf: () => Promise.resolve([]) },
        secrets: await openSecrets(sql, keys.secretWrapping),
      },
    )),
    ...(capacity !== undefined && { capacity }),
    ...(limits && { limits }),
    specOf: () => ({
      repositories: [],
      gateway: { url: "http://127.0.0.1:9", token: "none" },
      model: { model: "none/none", smallModel: "none/none", baseUrl: null, apiKey: "none" },
      instructions: "None.",
    }),
  });
