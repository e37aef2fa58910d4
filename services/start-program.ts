/** Starts everything that one process runs: servers if none are given, the platform, the roles. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { startEmbeddedStack } from "#infra/embedded-stack";
import { createSlackApp } from "./approvals/slack/slack-app.ts";
import type { Config } from "./config.ts";
import type { ConfiguredConnector } from "./integrations/connectors/configured.ts";
import { startDemoMcpServer } from "./integrations/demo/demo-mcp-server.ts";
import { openIntegrations } from "./integrations/open-integrations.ts";
import { type MetricsServer, startMetricsServer } from "./metrics/metrics-server.ts";
import { openPlatform, type Platform } from "./platform.ts";
import { forgetServers, rememberServers } from "./running-servers.ts";
import { type Running, runningStack } from "./running.ts";
import { keptSecretsKey } from "./secrets-key.ts";
import { type RunningRoles, startRoles } from "./start-roles.ts";

export interface Program extends Running {
  readonly platform: Platform;
  readonly gateway: RunningRoles["gateway"];
  /** Where the metrics have a port of their own; null where they have none. */
  readonly metricsUrl: string | null;
  /** Settles with the name of a server that has ended by itself. */
  readonly lost: Promise<string>;
}

export interface StartProgramOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Told in a few words what takes time. */
  readonly onProgress?: (message: string) => void;
}

/** Where the built dashboard lies, in the sources and in the production build alike. */
const dashboardFolder = (): string | null => {
  const candidates = ["../dist/dashboard", "../dashboard"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return candidates.find((folder) => existsSync(resolve(folder, "index.html"))) ?? null;
};

export const startProgram = async ({
  config,
  log,
  environment,
  onProgress,
}: StartProgramOptions): Promise<Program> => {
  const started = runningStack();
  try {
    const servers = await startEmbeddedStack({
      dataDir: config.DATA_DIR,
      env: environment,
      natsUrl: config.NATS_URL,
      databaseUrl: config.DATABASE_URL,
      durability: config.DURABILITY === "relaxed" ? "relaxed" : "fsync",
      // What runs in a sandbox can reach the server's port too.
      natsToken: randomBytes(24).toString("base64url"),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    started.add(servers);
    if (config.NATS_URL === undefined || config.DATABASE_URL === undefined) {
      await rememberServers(config.DATA_DIR, servers);
      started.add({ stop: () => forgetServers(config.DATA_DIR) });
    }
    const platform = await openPlatform({
      config,
      log,
      natsUrl: servers.natsUrl,
      databaseUrl: servers.databaseUrl,
      secretsKey: config.SECRETS_KEY ?? (await keptSecretsKey(config.DATA_DIR)),
    });
    started.add(platform);
    const metricsServer = await startConfiguredMetrics(platform);
    if (metricsServer !== null) started.add(metricsServer);
    const connectors = config.CONNECTORS ?? [await startDemoConnector(started)];
    const integrations = await openIntegrations(platform, connectors);
    started.add(integrations);
    const { registry, connections } = integrations;
    const roles = await startRoles(platform, {
      registry,
      connections,
      slack: createSlackApp(connections),
      dashboardDir: dashboardFolder(),
    });
    started.add(roles);
    return {
      platform,
      gateway: roles.gateway,
      metricsUrl: metricsServer?.url ?? null,
      lost: servers.lost,
      stop: started.stop,
    };
  } catch (error) {
    await started.stop();
    throw error;
  }
};

/** Before the roles, which may take their time to start. */
const startConfiguredMetrics = async ({
  config,
  metrics,
  log,
}: Platform): Promise<MetricsServer | null> => {
  const { HOST: host, METRICS_PORT: port, METRICS_TOKEN: token = null } = config;
  const { registry } = metrics;
  return port === undefined ? null : startMetricsServer({ host, port, token, registry, log });
};

/** Something to act upon where nothing else is configured. */
const startDemoConnector = async (started: {
  add(part: Running): void;
}): Promise<ConfiguredConnector> => {
  const server = await startDemoMcpServer();
  started.add({ stop: () => server.close() });
  return {
    id: "demo",
    name: "Demo releases",
    kind: "mcp",
    url: server.url,
    headers: {},
    organizations: null,
  };
};
