/**
 * `npm run bench actions`: how long an agent waits for an action that its policy allows and that takes no
 * time of its own, over HTTP, through gateway, log and executor, with every read model projected beside it.
 */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pino } from "pino";
import { invokeAction } from "#contracts/http/actions";
import { newId, type OrganizationId, type SessionId } from "#contracts/ids";
import type { PolicyCommand } from "#contracts/policy/commands";
import { percentile } from "#event-store/bench/percentile";
import { newCommandMeta } from "#event-store/command-meta";
import { startEmbeddedStack } from "#infra/embedded-stack";
import { deriveSandboxToken } from "#sandbox/token";
import { createSlackApp } from "../../approvals/slack/slack-app.ts";
import { createClient } from "../../client/client.ts";
import { readConfig } from "../../config.ts";
import { openConnectorAccess } from "../../integrations/connectors/access.ts";
import { createOutbound } from "../../integrations/outbound/outbound.ts";
import { openPlatform, type Platform } from "../../platform.ts";
import { changePolicy } from "../../policy/commands.ts";
import { runningStack } from "../../running.ts";
import { createSession } from "../../sessions/create-session.ts";
import { startRoles } from "../../start-roles.ts";
import type { ActionRegistry } from "../registry.ts";
import { maxInvocationsPerMinute } from "../session-limits.ts";
import { noSources } from "../testing/no-sources.ts";
import { benchPolicy, type PolicyMicros } from "./policy.ts";
import { startFloor } from "./floor.ts";

export interface ActionsBench {
  readonly allowMs: { readonly p50: number; readonly p99: number };
  /** A request and three publishes in turn with it. */
  readonly floorMs: { readonly p50: number; readonly p99: number };
  /** CPU time of this process (gateway, worker, projector and client) for each call. */
  readonly allowCpuMs: number;
  readonly policyMicros: PolicyMicros;
}

const sessions = 6;
const callsPerSession = maxInvocationsPerMinute - 10;
/** Rules of the very action, none of which speaks of these calls. */
const rules = 50;

export const benchActions = async (dataDir: string): Promise<ActionsBench> => {
  const policyMicros = benchPolicy();
  const started = runningStack();
  try {
    const servers = await startEmbeddedStack({ dataDir, env: process.env, durability: "relaxed" });
    started.add(servers);
    const log = pino({ level: "error" }, pino.destination(2));
    const platform = await openPlatform({
      config: readConfig({
        ROLES: "projector,worker,gateway",
        DATA_DIR: join(dataDir, "program"),
        DURABILITY: "relaxed",
        PORT: "0",
      }),
      log,
      natsUrl: servers.natsUrl,
      databaseUrl: servers.databaseUrl,
      secretsKey: "11".repeat(32),
    });
    started.add(platform);
    const outbound = createOutbound();
    started.add({ stop: () => outbound.close() });
    const connections = await openConnectorAccess(platform, outbound);
    const roles = await startRoles(platform, {
      registry: localSource,
      connections,
      slack: createSlackApp(connections),
      dashboardDir: null,
    });
    started.add(roles);
    const floor = await startFloor(platform.store, { commits: 3 });
    started.add({ stop: () => floor.close() });
    return {
      ...(await timeCalls(platform, { url: roles.gateway?.url ?? "", floorUrl: floor.url })),
      policyMicros,
    };
  } finally {
    await started.stop();
  }
};

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

const timeCalls = async (
  platform: Platform,
  { url, floorUrl }: { readonly url: string; readonly floorUrl: string },
): Promise<Omit<ActionsBench, "policyMicros">> => {
  const organization = newId("organization");
  await setRules(platform, organization);
  const allowed: number[] = [];
  const floors: number[] = [];
  let cpuUs = 0;
  // In turn, so that both see the same machine; the first session warms everything up.
  for (let session = 0; session <= sessions; session += 1) {
    const call = await caller(platform, { url, organization });
    for (let count = 0; count < callsPerSession; count += 1) {
      const before = process.cpuUsage();
      const ms = await timed(call);
      const { user, system } = process.cpuUsage(before);
      const floorMs = await timed(() => post(floorUrl));
      if (session === 0) continue;
      allowed.push(ms);
      floors.push(floorMs);
      cpuUs += user + system;
    }
  }
  const figures = (all: readonly number[]) => ({
    p50: percentile(all, 50),
    p99: percentile(all, 99),
  });
  return {
    allowMs: figures(allowed),
    floorMs: figures(floors),
    allowCpuMs: Number((cpuUs / 1_000 / allowed.length).toFixed(2)),
  };
};

/** Invokes the action as the agent of a session of its own. */
const caller = async (
  { store, log, keys }: Platform,
  { url, organization }: { readonly url: string; readonly organization: OrganizationId },
): Promise<() => Promise<unknown>> => {
  const sessionId = await openSession({ store, log }, organization);
  const accessToken = deriveSandboxToken({
    secret: keys.sandboxTokens,
    sessionId,
    organizationId: organization,
  });
  const client = createClient({ baseUrl: url, accessToken });
  return async () => {
    const { status } = await client.request(invokeAction, {
      params: { sessionId },
      body: { integration: "local", action: "send", params: { channel: "#team-a" } },
    });
    if (status !== 200) throw new Error(`The action was answered with ${status}.`);
  };
};

const benchMeta = () => newCommandMeta({ actor: { kind: "service", id: "bench", via: "bench" } });

const openSession = async (
  deps: Pick<Platform, "store" | "log">,
  organization: OrganizationId,
): Promise<SessionId> => {
  const { sessionId } = await createSession(
    { ...deps, registry: noSources, defaultModel: "bench" },
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

const post = async (url: string): Promise<void> => {
  const response = await fetch(url, { method: "POST", body: "{}" });
  await response.text();
  if (!response.ok) throw new Error(`The floor was answered with ${response.status}.`);
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};
