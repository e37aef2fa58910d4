/**
 * Gateways with the tools' route alone, on one real log. Nothing in them is a fake, except for handlers
 * that a test puts in place of the shipped ones, and the people whom nobody knows here.
 */
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { DomainError } from "#contracts/errors";
import { newId, type OrganizationId, type SessionId } from "#contracts/ids";
import type { SessionOrigin } from "#contracts/session/events";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { openLeases } from "#event-store/leases/leases";
import { openTestEventStore } from "#event-store/testing/test-event-store";
import { deriveSandboxToken } from "#sandbox/token";
import { noSources } from "../../actions/testing/no-sources.ts";
import { buildGateway } from "../../gateway/app.ts";
import { createAuthenticate } from "../../gateway/authentication/authenticate.ts";
import { createTestConfiguration } from "../../configurations/testing/test-configuration.ts";
import { createSession } from "../../sessions/creation/create-session.ts";
import { toolHandlers } from "../handlers.ts";
import type { ToolHandlers } from "../handler.ts";
import { openMetrics } from "../../metrics/open-metrics.ts";
import { toolRoutes } from "../routes.ts";

const secret = "s".repeat(32);
const log = pino({ level: "silent" });

export interface ToolGateway {
  readonly app: FastifyInstance;
  call(call: ToolRequest): Promise<{ readonly status: number; readonly body: unknown }>;
}

export interface ToolRequest {
  readonly session: SessionId;
  readonly tool: string;
  readonly id?: string;
  readonly args?: unknown;
  readonly version?: number;
  /** The session's own by default; null for none. */
  readonly token?: string | null;
}

export interface ToolWorld {
  readonly store: EventStore;
  readonly organization: OrganizationId;
  /** Starts a gateway; several share the log, as in a deployment. */
  gateway(options?: {
    readonly handlers?: Partial<ToolHandlers>;
    readonly leaseTtlMs?: number;
  }): Promise<ToolGateway>;
  createSession(options?: {
    readonly origin?: SessionOrigin;
    readonly kind?: "setup";
  }): Promise<SessionId>;
  tokenOf(session: SessionId): string;
  /** Moves the clock of every gateway by so many milliseconds, from now on. */
  moveClock(ms: number): void;
  close(): Promise<void>;
}

export const userToken = "a-persons-token";

export const startToolWorld = async (): Promise<ToolWorld> => {
  const { store, close } = await openTestEventStore();
  const organization = newId("organization");
  const apps: FastifyInstance[] = [];
  let offset = 0;
  const clock = (): Date => new Date(Date.now() + offset);
  const tokenOf = (sessionId: SessionId): string =>
    deriveSandboxToken({ secret, sessionId, organizationId: organization });

  return {
    store,
    organization,
    tokenOf,
    gateway: async ({ handlers = {}, leaseTtlMs } = {}) => {
      const app = await buildGateway({
        log,
        dashboardDir: null,
        metrics: openMetrics({ ofProcess: false }),
        metricsToken: null,
        authenticate: createAuthenticate({
          userOf: (token) =>
            token === userToken
              ? Promise.resolve({
                  id: newId("user"),
                  organizationId: organization,
                  organizationName: "Ours",
                  role: "owner",
                  name: "Owner",
                  email: "owner@example.com",
                })
              : Promise.reject(new DomainError("unauthenticated", "Nobody knows this token.")),
          serviceOf: () => Promise.reject(new Error("No service asks here.")),
          sandboxTokenSecret: secret,
        }),
        awaitPosition: (position) => Promise.resolve(position),
        handlers: toolRoutes({
          store,
          log,
          clock,
          instance: `gateway-${apps.length}`,
          handlers: { ...toolHandlers, ...handlers },
          leases: await openLeases(
            store,
            "runtime",
            leaseTtlMs === undefined ? {} : { ttlMs: leaseTtlMs },
          ),
        }),
      });
      apps.push(app);
      return {
        app,
        call: async ({ session, tool, id = "call-1", args = {}, version, token }) => {
          const bearer = token === undefined ? tokenOf(session) : token;
          const reply = await app.inject({
            method: "POST",
            url: `/proliferate/${session}/tools/${tool}`,
            headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` },
            payload: {
              tool_call_id: id,
              args,
              ...(version !== undefined && { tool_schema_version: version }),
            },
          });
          return { status: reply.statusCode, body: reply.json<unknown>() };
        },
      };
    },
    createSession: async ({ origin, kind } = {}) => {
      const meta = newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
      const { sessionId } = await createSession(
        { store, registry: noSources, log, defaultModel: "claude-sonnet-4.6" },
        {
          ...(kind === "setup" && {
            configurationId: (await createTestConfiguration(store, organization)).configurationId,
          }),
          organization,
          title: "test",
          origin: origin ?? { kind: "user", userId: newId("user") },
          kind,
          repositories: [],
          prompt: null,
          idempotencyKey: null,
        },
        meta,
      );
      return sessionId;
    },
    moveClock: (ms) => {
      offset += ms;
    },
    close: async () => {
      await Promise.all(apps.map((app) => app.close()));
      await close();
    },
  };
};
