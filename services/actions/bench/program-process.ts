/** Gateway, worker and projector in a process of their own, as `npm start` runs them: what is measured. */
import { join } from "node:path";
import { pino } from "pino";
import { newId, type OrganizationId, type SessionId } from "#contracts/ids";
import type { PolicyCommand } from "#contracts/policy/commands";
import { newCommandMeta } from "#event-store/command-meta";
import { cpuUsOfThisProcess, serveCommands } from "#infra/bench/worker-process";
import { deriveSandboxToken } from "#sandbox/token";
import { createSlackApp } from "../../approvals/slack/slack-app.ts";
import { readConfig } from "../../config.ts";
import { openConnectorAccess } from "../../integrations/connectors/access.ts";
import { createOutbound } from "../../integrations/outbound/outbound.ts";
import { openPlatform, type Platform } from "../../platform.ts";
import { changePolicy } from "../../policy/commands.ts";
import { createSession } from "../../sessions/creation/create-session.ts";
import { startRoles } from "../../start-roles.ts";
import type { ActionRegistry } from "../sources/registry.ts";
import { noSources } from "../testing/no-sources.ts";
import { startFloor } from "./floor.ts";

/** Rules of the very action, none of which speaks of these calls. */
const rules = 50;

/** An integration of this process whose action does nothing. */
const localSource: ActionRegistry = {
  sourcesOf: () =>
    Promise.resolve([
      {
        id: "local",
        name: "Local",
        guide: () => Promise.resolve(""),
        list: () => Promise.resolve([noOp]),
        execute: () => Promise.resolve({ done: true }),
      },
    ]),
};
const noOp = {
  id: "send",
  description: "Does nothing",
  risk: "read",
  params: { type: "object", properties: { channel: { type: "string" } } },
} as const;

const startProgram = async (servers: {
  readonly natsUrl: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
}) => {
  const platform = await openPlatform({
    config: readConfig({
      ROLES: "projector,worker,gateway",
      DATA_DIR: join(servers.dataDir, "data"),
      DURABILITY: "relaxed",
      PORT: "0",
    }),
    log: pino({ level: "error" }, pino.destination(2)),
    natsUrl: servers.natsUrl,
    databaseUrl: servers.databaseUrl,
    secretsKey: "11".repeat(32),
  });
  const connections = await openConnectorAccess(platform, createOutbound());
  const roles = await startRoles(platform, {
    registry: localSource,
    connections,
    slack: createSlackApp(connections),
    dashboardDir: null,
  });
  const floor = await startFloor(platform.store, { commits: 3 });
  return { platform, url: roles.gateway?.url ?? "", floorUrl: floor.url };
};

const benchMeta = () => newCommandMeta({ actor: { kind: "service", id: "bench", via: "bench" } });

const setRules = async ({ store }: Platform, organization: OrganizationId): Promise<void> => {
  for (let index = 0; index < rules; index += 1) {
    const command: PolicyCommand = {
      type: "SetRule",
      ruleId: newId("rule"),
      rule: {
        integration: "local",
        action: "send",
        mode: "deny",
        scope: { kind: "organization" },
        conditions: [{ op: "matches", path: "channel", glob: `#other-${index}-*` }],
        expiresAt: null,
        budget: null,
        note: "",
      },
      by: newId("user"),
      at: new Date().toISOString(),
      definitionHash: null,
    };
    await changePolicy(store, organization, command, benchMeta());
  }
};

const openSession = async (
  { store, log }: Platform,
  organization: OrganizationId,
): Promise<SessionId> => {
  const { sessionId } = await createSession(
    { store, log, registry: noSources, defaultModel: "bench" },
    {
      organization,
      title: "bench",
      origin: { kind: "user", userId: newId("user") },
      repositories: [],
      prompt: null,
      idempotencyKey: null,
    },
    benchMeta(),
  );
  return sessionId;
};

const organization = newId("organization");
let started: Awaited<ReturnType<typeof startProgram>> | null = null;

const commands = {
  /** Answers where the gateway and a floor are. */
  start: async (servers: Parameters<typeof startProgram>[0]) => {
    started = await startProgram(servers);
    await setRules(started.platform, organization);
    return { url: started.url, floorUrl: started.floorUrl };
  },
  /** A session, and the token of its sandbox. */
  openSession: async () => {
    if (started === null) throw new Error("The program has not been started.");
    const { platform } = started;
    const sessionId = await openSession(platform, organization);
    const secret = platform.keys.sandboxTokens;
    const accessToken = deriveSandboxToken({ secret, sessionId, organizationId: organization });
    return { sessionId, accessToken };
  },
  cpuUs: cpuUsOfThisProcess,
};
export type ProgramCommands = typeof commands;

serveCommands(commands);
