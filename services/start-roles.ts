/** Starts the roles of a process in the order in which they need each other, and stops them in reverse. */
import type { ActionRegistry } from "./actions/sources/registry.ts";
import type { ConnectorAccess } from "./integrations/connectors/access.ts";
import type { SlackApp } from "./approvals/slack/slack-app.ts";
import type { Role } from "./config.ts";
import { livePath } from "./fanout/fanout.ts";
import type { Identity } from "./identity/identity.ts";
import type { Platform } from "./platform.ts";
import { startFanoutRole } from "./roles/fanout.ts";
import { startGatewayRole } from "./roles/gateway.ts";
import { startProjectorRole } from "./roles/projector.ts";
import { startRunnerRole } from "./roles/runner.ts";
import { startWorkerRole } from "./roles/worker.ts";
import { type Running, runningStack } from "./running.ts";

export interface RunningRoles extends Running {
  /** Of the gateway, if this process runs it. */
  readonly gateway: { readonly url: string; readonly identity: Identity } | null;
}

export interface RoleOptions {
  readonly registry: ActionRegistry;
  /** What the connectors behind the registry are made with. */
  readonly connections: ConnectorAccess;
  /** The way to the organisations' Slack workspaces, for approvals. */
  readonly slack: SlackApp;
  readonly dashboardDir: string | null;
}

/** Starts what `ROLES` names. Whatever was started is stopped again when something else cannot. */
export const startRoles = async (
  platform: Platform,
  { registry, connections, slack, dashboardDir }: RoleOptions,
): Promise<RunningRoles> => {
  const { config } = platform;
  const wanted = (role: Role): boolean => config.ROLES.includes(role);
  const started = runningStack();
  try {
    if (wanted("projector")) {
      started.add(await startProjectorRole(platform));
    }
    if (wanted("worker")) {
      started.add(await startWorkerRole(platform, { registry, slack }));
    }
    let fanoutPort = config.FANOUT_PORT;
    if (wanted("fanout")) {
      const fanout = await startFanoutRole(platform, connections);
      started.add({ stop: () => fanout.close() });
      fanoutPort = fanout.port;
    }
    let gateway: RunningRoles["gateway"] = null;
    if (wanted("gateway")) {
      const liveUrl = config.LIVE_URL ?? `ws://${config.HOST}:${fanoutPort}${livePath}`;
      const role = await startGatewayRole(platform, {
        registry,
        connections,
        slack,
        dashboardDir,
        liveUrl,
      });
      started.add(role);
      gateway = role;
    }
    if (wanted("runner")) {
      const gatewayUrl =
        config.SANDBOX_GATEWAY_URL ?? gateway?.url ?? `http://${config.HOST}:${config.PORT}`;
      started.add(
        await startRunnerRole(platform, { registry, secrets: connections.secrets, gatewayUrl }),
      );
    }
    return { gateway, stop: started.stop };
  } catch (error) {
    await started.stop();
    throw error;
  }
};
