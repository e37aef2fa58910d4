import type { AddressInfo } from "node:net";
import {
  authorizationCallback,
  authorizationPage,
  finishAuthorization,
} from "#contracts/http/connectors";
import { openLeases } from "#event-store/leases/leases";
import { announceWatched } from "#event-store/live/watch-presence";
import { countDeadLetters } from "#event-store/workers/count-dead-letters";
import { readProjectionStatus } from "#projections/status";
import { openProgress } from "#projections/wait-for-position";
import { organizationOfTrigger } from "#projections/triggers/queries";
import type { ActionRegistry } from "../actions/sources/registry.ts";
import { openFullResults } from "../actions/full-results/full-result-table.ts";
import { actionRoutes } from "../actions/routes.ts";
import { openSessionLimits } from "../actions/requests/session-limits.ts";
import { approvalLinkRoutes } from "../approvals/links/routes.ts";
import { slackRoutes } from "../approvals/slack/routes.ts";
import type { SlackApp } from "../approvals/slack/slack-app.ts";
import { automationRoutes } from "../automations/routes.ts";
import { configurationRoutes } from "../configurations/routes.ts";
import { openEventStreams } from "../fanout/event-streams.ts";
import { pastOfSessions } from "../fanout/watched-session/past-of-sessions.ts";
import { allowedOrigins } from "../gateway/browsers/allowed-origins.ts";
import { buildGateway } from "../gateway/app.ts";
import { createAuthenticate } from "../gateway/authentication/authenticate.ts";
import { createAwaitPosition } from "../gateway/routes/await-position.ts";
import { gitRoutes } from "../git/routes.ts";
import { openSidecarAccess } from "../git/sidecar-access.ts";
import { type Identity, openIdentity } from "../identity/identity.ts";
import { rememberingUsers } from "../identity/known-users.ts";
import { namesOf } from "../identity/names-of.ts";
import { identityRoutes } from "../identity/routes.ts";
import { openServiceTokens } from "../identity/service-tokens/service-tokens.ts";
import { signLiveTicket, signProxyTicket, verifyProxyTicket } from "../identity/signed-tokens.ts";
import { integrationRoutes } from "../integrations/connections/routes.ts";
import type { ConnectorAccess } from "../integrations/connectors/access.ts";
import { authorizationRoutes } from "../integrations/connectors/oauth/routes.ts";
import { connectorRoutes } from "../integrations/connectors/routes.ts";
import { healthChecks } from "../operations/health.ts";
import { measureSystem } from "../metrics/system-metrics.ts";
import { operationsRoutes } from "../operations/routes.ts";
import { organizationRoutes } from "../organization/routes.ts";
import type { Platform } from "../platform.ts";
import { createRuleBudgets } from "../policy/budgets/budgets.ts";
import { policyRoutes } from "../policy/routes.ts";
import { pageOriginsBelow, pageOriginsHere } from "../proxies/page-origins.ts";
import { proxyRoutes } from "../proxies/routes.ts";
import { requireStanding } from "../proxies/standing.ts";
import { type Running, runningStack } from "../running.ts";
import { openDataKeys } from "../secrets/data-keys.ts";
import { createSessionValues } from "../sessions/environment/session-values.ts";
import { sessionRoutes } from "../sessions/routes.ts";
import { toolHandlers } from "../tools/handlers.ts";
import { toolRoutes } from "../tools/routes.ts";
import { triggerRoutes } from "../triggers/routes.ts";
import { createSigningSecrets } from "../triggers/signing-secrets.ts";

export interface GatewayRole extends Running {
  /** Where the gateway listens. */
  readonly url: string;
  readonly identity: Identity;
}

export interface GatewayRoleOptions {
  readonly registry: ActionRegistry;
  readonly connections: ConnectorAccess;
  readonly slack: SlackApp;
  /** Where browsers open the live channel. */
  readonly liveUrl: string;
  /** The folder of the built dashboard; null without one. */
  readonly dashboardDir: string | null;
}

/** Serves the HTTP API and the dashboard. */
export const startGatewayRole = async (
  { store, sql, keys, config, log, instance, metrics }: Platform,
  { registry, connections, slack, liveUrl, dashboardDir }: GatewayRoleOptions,
): Promise<GatewayRole> => {
  const started = runningStack();
  try {
    const identity = await openIdentity({ sql, accessTokenKey: keys.accessTokens });
    const serviceTokens = await openServiceTokens({ store, sql, key: keys.serviceTokens });
    const { secrets } = connections;
    const progress = await openProgress(sql);
    started.add({ stop: () => progress.close() });
    const clock = (): Date => new Date();
    const streams = openEventStreams({ store, log, ...pastOfSessions(sql, progress) });
    metrics.live.follow("event_stream", streams.stats);
    measureSystem(
      metrics.registry,
      {
        projections: () => readProjectionStatus(store, sql),
        deadLetters: () => countDeadLetters(store),
      },
      { log },
    );
    const budgets = createRuleBudgets(store);
    const sidecars = openSidecarAccess({ store, log, config, keys });
    const actions = {
      store,
      registry,
      clock,
      budgets,
      limits: await openSessionLimits(store, clock),
    };
    const dataKeys = openDataKeys({ sql, wrappingKey: keys.dataKeyWrapping });
    const fullResults = openFullResults({ sql, keys: dataKeys });
    const { SLACK_SIGNING_SECRET: signingSecret } = config;
    const { findUser, findUserByEmail } = identity;
    const port = () => (app.server.address() as AddressInfo).port;
    const url = () => `http://${config.HOST}:${port()}`;
    const publicUrl = () => (config.PUBLIC_URL ?? url()).replace(/\/+$/, "");
    const { SANDBOX_PAGES_URL: pagesUrl } = config;
    const isHere = config.PUBLIC_URL === undefined && /^(?:127\.|localhost$)/.test(config.HOST);
    const pages = () =>
      pagesUrl !== undefined ? pageOriginsBelow(pagesUrl) : isHere ? pageOriginsHere(port()) : null;
    const standing = { store, findUser: rememberingUsers(findUser, clock) };
    const app = await buildGateway({
      log,
      dashboardDir,
      origins: allowedOrigins(config.ALLOWED_ORIGINS, config.PUBLIC_URL ?? null),
      tracing: store.tracing && {
        start: store.tracing.start,
        trustsIncoming: config.TRUST_TRACEPARENT,
      },
      metrics,
      metricsToken: config.METRICS_TOKEN ?? null,
      proxies: {
        pages,
        requireStanding: (ticket) => requireStanding(standing, ticket),
        announce: (sessionId) => announceWatched(store, sessionId),
        verifyTicket: (ticket) => verifyProxyTicket(keys.proxyTickets, ticket, clock()),
        ...sidecars,
      },
      authenticate: createAuthenticate({
        userOf: identity.userOf,
        serviceOf: serviceTokens.verify,
        sandboxTokenSecret: keys.sandboxTokens,
      }),
      awaitPosition: createAwaitPosition(store.shards, progress),
      handlers: [
        ...sessionRoutes({
          store,
          registry,
          sql,
          log,
          liveUrl,
          defaultModel: config.MODEL,
          values: createSessionValues(secrets),
          openEventStream: streams.open,
          signLiveTicket: (ticket) => signLiveTicket(keys.liveTickets, ticket, clock()),
        }),
        ...actionRoutes({ ...actions, sql, fullResults, log }),
        ...approvalLinkRoutes({
          ...actions,
          findUser,
          linkKey: keys.approvalLinks,
          publicUrl,
        }),
        ...(signingSecret === undefined
          ? []
          : slackRoutes({ ...actions, signingSecret, slack, findUserByEmail, log })),
        ...proxyRoutes({
          store,
          pages,
          signTicket: (ticket) => signProxyTicket(keys.proxyTickets, ticket, clock()),
        }),
        ...gitRoutes({
          store,
          secrets,
          outbound: connections.outbound,
          findUser: identity.findUser,
          ...sidecars,
        }),
        ...integrationRoutes(connections),
        ...connectorRoutes({ ...connections, registry, log }),
        ...authorizationRoutes({
          ...connections,
          clock,
          redirectUrl: () => new URL(authorizationCallback.path, publicUrl()).href,
          finishPath: dashboardDir === null ? finishAuthorization.path : authorizationPage,
        }),
        ...policyRoutes({
          ...{ store, registry, budgets, clock },
          namesOf: (organization, ids) => namesOf(sql, organization, ids),
        }),
        ...triggerRoutes({
          store,
          sql,
          secrets: createSigningSecrets(secrets),
          clock,
          organizationOf: (trigger) => organizationOfTrigger(sql, trigger),
        }),
        ...automationRoutes(sql),
        ...configurationRoutes({ store, sql }),
        ...organizationRoutes({
          store,
          deploymentAutoDeleteDays: config.SESSION_AUTO_DELETE_DAYS ?? null,
        }),
        ...toolRoutes({
          store,
          log,
          instance,
          clock,
          handlers: toolHandlers,
          leases: await openLeases(store, "runtime"),
        }),
        ...identityRoutes({
          identity,
          secureCookies: config.PUBLIC_URL?.startsWith("https:") ?? false,
        }),
        ...operationsRoutes({ store, sql, checks: healthChecks(store.connection, sql) }),
      ],
    });
    await app.listen({ host: config.HOST, port: config.PORT });
    started.add({ stop: () => app.close() });
    // Before the server, which waits for what it has not yet answered to the end.
    started.add({ stop: () => streams.close() });
    return { url: url(), identity, stop: started.stop };
  } catch (error) {
    await started.stop();
    throw error;
  }
};
