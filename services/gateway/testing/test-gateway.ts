/**
 * The gateway as it is served, with every domain's routes, on real NATS and Postgres and with the demo's
 * real MCP server; only nothing listens on a port. Its clock can be moved, so nobody has to wait.
 */
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { pino } from "pino";
import type { Route } from "#contracts/http/route";
import type { SessionId } from "#contracts/ids";
import type { UserView } from "#contracts/identity/principal";
import { lastSequence } from "#event-store/reading/commit-feed";
import type { EventStore } from "#event-store/event-store";
import { deriveSandboxToken } from "#sandbox/token";
import { organizationOfTrigger } from "#projections/triggers/queries";
import { openProgress } from "#projections/wait-for-position";
import { actionRoutes } from "../../actions/routes.ts";
import { startActionStack } from "../../actions/testing/action-stack.ts";
import { openEventStreams } from "../../fanout/event-streams.ts";
import { pastOfSessions } from "../../fanout/watched-session/past-of-sessions.ts";
import { configurationRoutes } from "../../configurations/routes.ts";
import { type Identity, openIdentity } from "../../identity/identity.ts";
import { namesOf } from "../../identity/names-of.ts";
import { identityRoutes } from "../../identity/routes.ts";
import {
  openServiceTokens,
  type ServiceTokens,
} from "../../identity/service-tokens/service-tokens.ts";
import { signLiveTicket, signProxyTicket } from "../../identity/signed-tokens.ts";
import { createConnectorRegistry } from "../../integrations/connectors/configured.ts";
import { createOutbound } from "../../integrations/outbound/outbound.ts";
import { healthChecks } from "../../operations/health.ts";
import { openMetrics } from "../../metrics/open-metrics.ts";
import { operationsRoutes } from "../../operations/routes.ts";
import { organizationRoutes } from "../../organization/routes.ts";
import { policyRoutes } from "../../policy/routes.ts";
import { type ProxyRoutesDeps, proxyRoutes } from "../../proxies/routes.ts";
import { deriveKeys, type Keys } from "../../secrets/keys.ts";
import { openSecrets, type Secrets } from "../../secrets/secrets.ts";
import { createSessionValues } from "../../sessions/environment/session-values.ts";
import { sessionRoutes } from "../../sessions/routes.ts";
import { triggerRoutes } from "../../triggers/routes.ts";
import { createSigningSecrets } from "../../triggers/signing-secrets.ts";
import { buildGateway, type GatewayOptions } from "../app.ts";
import { createAuthenticate } from "../authentication/authenticate.ts";
import { createAwaitPosition } from "../routes/await-position.ts";
import { handleRoute } from "../routes/handle-route.ts";
import type { RouteHandler } from "../routes/handle-route.ts";

interface SignedInUser {
  readonly user: UserView;
  readonly token: string;
}

export interface TestGateway {
  readonly app: FastifyInstance;
  readonly store: EventStore;
  readonly identity: Identity;
  readonly serviceTokens: ServiceTokens;
  readonly keys: Keys;
  readonly owner: SignedInUser;
  readonly member: SignedInUser;
  /** The owner of another organisation. */
  readonly stranger: SignedInUser;
  /** Sends a request with JSON, as somebody or nobody. */
  send(request: TestRequest): Promise<LightMyRequestResponse>;
  createSession(): Promise<SessionId>;
  sandboxToken(session: SessionId): string;
  /** Moves the clock of everything here by so many milliseconds, from now on. */
  moveClock(ms: number): void;
  /** What may not change when a request is refused: the log's end, and how many people there are. */
  facts(): Promise<unknown>;
  close(): Promise<void>;
}

export interface TestGatewayParts {
  readonly store: EventStore;
  readonly keys: Keys;
  readonly now: () => Date;
  readonly identity: Identity;
  readonly secrets: Secrets;
}

export interface TestRequest {
  readonly method?: Route["method"];
  readonly url: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const startTestGateway = async (
  options: {
    readonly dashboardDir?: string;
    readonly metricsToken?: string;
    readonly origins?: GatewayOptions["origins"];
    readonly extra?: readonly RouteHandler[];
    readonly pages?: ProxyRoutesDeps["pages"];
    readonly routes?: (of: TestGatewayParts) => readonly RouteHandler[];
    readonly proxies?: (of: TestGatewayParts) => NonNullable<GatewayOptions["proxies"]>;
  } = {},
): Promise<TestGateway> => {
  const stack = await startActionStack();
  const closing: (() => Promise<unknown>)[] = [stack.close];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const { store, sql, log } = stack;
    const now = stack.deps.clock;
    const keys = deriveKeys("ab".repeat(32));
    const identity = await openIdentity({ sql, accessTokenKey: keys.accessTokens, now });
    const serviceTokens = await openServiceTokens({ store, sql, key: keys.serviceTokens, now });
    const secrets = await openSecrets(sql, keys.secretWrapping);
    const parts = { store, keys, now, identity, secrets };
    const progress = await openProgress(sql);
    closing.push(() => progress.close());
    const outbound = createOutbound({ allowedNetworks: ["127.0.0.1/32"] });
    closing.push(() => outbound.close());
    const registry = createConnectorRegistry(
      [
        {
          id: "demo",
          name: "Demo",
          kind: "mcp",
          url: stack.demo.url,
          headers: {},
          organizations: null,
        },
      ],
      outbound,
    );
    const streams = openEventStreams({ store, log, ...pastOfSessions(sql, progress) });
    const app = await buildGateway({
      log: pino({ level: "silent" }),
      dashboardDir: options.dashboardDir ?? null,
      metrics: openMetrics({ ofProcess: false }),
      metricsToken: options.metricsToken ?? null,
      ...(options.origins && { origins: options.origins }),
      ...(options.proxies && { proxies: options.proxies(parts) }),
      authenticate: createAuthenticate({
        userOf: identity.userOf,
        serviceOf: serviceTokens.verify,
        sandboxTokenSecret: keys.sandboxTokens,
        now,
      }),
      awaitPosition: createAwaitPosition(store.shards, {
        waitForPosition: (position, options) =>
          progress.waitForPosition(position, { ...options, timeoutMs: 30_000 }),
      }),
      handlers: [
        ...sessionRoutes({
          store,
          registry,
          sql,
          log,
          liveUrl: "ws://live.test/v1/live",
          defaultModel: "model",
          values: createSessionValues(secrets),
          openEventStream: streams.open,
          signLiveTicket: (ticket) => signLiveTicket(keys.liveTickets, ticket, now()),
        }),
        ...actionRoutes({ ...stack.deps, fullResults: stack.fullResults, registry, sql, log }),
        ...proxyRoutes({
          store,
          pages: options.pages ?? (() => null),
          signTicket: (ticket) => signProxyTicket(keys.proxyTickets, ticket, now()),
        }),
        ...configurationRoutes({ store, sql }),
        ...organizationRoutes({ store, deploymentAutoDeleteDays: 90 }),
        ...policyRoutes({
          ...{ ...stack.deps, registry },
          namesOf: (organization, ids) => namesOf(sql, organization, ids),
        }),
        ...triggerRoutes({
          store,
          sql,
          secrets: createSigningSecrets(secrets),
          clock: now,
          organizationOf: (trigger) => organizationOfTrigger(sql, trigger),
        }),
        ...identityRoutes({ identity, secureCookies: true }),
        ...operationsRoutes({ store, sql, checks: healthChecks(store.connection, sql) }),
        ...(options.routes?.(parts) ?? []),
        ...(options.extra ?? []),
      ],
    });
    closing.push(() => app.close());
    closing.push(() => streams.close());

    const send = ({ method = "POST", url, token, body, headers }: TestRequest) =>
      app.inject({
        method,
        url,
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
        ...(body === undefined ? {} : { payload: body as NonNullable<InjectOptions["payload"]> }),
      });
    const signedIn = async (user: UserView, token?: string): Promise<SignedInUser> => {
      const signInToken = token ?? (await identity.issueSignInToken(user.id));
      return { user, token: (await identity.signIn(signInToken)).accessToken };
    };
    const organization = (name: string) =>
      identity.createOrganization({ name, owner: { name, email: `${name}@example.com` } });
    const owner = await signedIn(await organization("ours"));
    const member = await identity.addUser(owner.user.organizationId, {
      name: "Member",
      email: "member@example.com",
      role: "member",
    });
    return {
      app,
      store,
      identity,
      serviceTokens,
      keys,
      owner,
      member: await signedIn(member.user, member.signInToken),
      stranger: await signedIn(await organization("theirs")),
      send,
      createSession: async () => {
        const reply = await send({
          url: "/v1/sessions",
          token: owner.token,
          body: { title: "A session" },
        });
        return reply.json<{ sessionId: SessionId }>().sessionId;
      },
      sandboxToken: (sessionId) =>
        deriveSandboxToken({
          secret: keys.sandboxTokens,
          sessionId,
          organizationId: owner.user.organizationId,
        }),
      moveClock: stack.moveClock,
      facts: async () => {
        const [people] = await sql`SELECT count(*)::int AS count FROM identity.users`;
        return { log: await lastSequence(store, 0), people };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** A route that fails in the way of a bug. */
export const brokenRoute = (secret: string): RouteHandler =>
  handleRoute(
    { method: "GET", path: "/v1/broken", audience: "public", summary: "", responses: {} },
    () => Promise.reject(new Error(secret)),
  );
