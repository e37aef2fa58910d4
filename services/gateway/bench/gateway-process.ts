/** The role `gateway` in a process of its own, as it is in production: what the benchmark measures. */
import { pino } from "pino";
import { cpuUsOfThisProcess, serveCommands } from "#infra/bench/worker-process";
import { createSlackApp } from "../../approvals/slack/slack-app.ts";
import { readConfig } from "../../config.ts";
import { openConnectorAccess } from "../../integrations/connectors/access.ts";
import { createConnectorRegistry } from "../../integrations/connectors/configured.ts";
import { createOutbound } from "../../integrations/outbound/outbound.ts";
import { startFloor } from "../../actions/bench/floor.ts";
import { openPlatform } from "../../platform.ts";
import { startGatewayRole } from "../../roles/gateway.ts";

const commands = {
  /** Answers where it and a floor are, and an owner's access token. */
  start: async (natsUrl: string, databaseUrl: string) => {
    const platform = await openPlatform({
      config: readConfig({ PORT: "0", DURABILITY: "fsync" }),
      log: pino({ level: "warn" }, pino.destination(2)),
      natsUrl,
      databaseUrl,
      secretsKey: "22".repeat(32),
    });
    const outbound = createOutbound();
    const connections = await openConnectorAccess(platform, outbound);
    const { url, identity } = await startGatewayRole(platform, {
      registry: createConnectorRegistry([], outbound),
      connections,
      slack: createSlackApp(connections),
      liveUrl: "ws://127.0.0.1/v1/live",
      dashboardDir: null,
    });
    const owner = await identity.ensureFirstOwner();
    const { accessToken } = await identity.signIn(await identity.issueSignInToken(owner.id));
    const floor = await startFloor(platform.store, { commits: 1 });
    return { url, floorUrl: floor.url, accessToken };
  },
  // Collects no garbage: that would be counted, and hold up what comes next.
  cpuUs: cpuUsOfThisProcess,
};
export type GatewayCommands = typeof commands;

serveCommands(commands);
