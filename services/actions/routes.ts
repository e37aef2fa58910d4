import {
  approveInvocation as approveRoute,
  denyInvocation as denyRoute,
  getActionGuide,
  getFullResult,
  getInvocation as getInvocationRoute,
  invokeAction as invokeRoute,
  listAvailableActions,
  listInvocations as listInvocationsRoute,
  listOrganizationActions,
  listOrganizationInvocations as listOrganizationInvocationsRoute,
} from "#contracts/http/actions";
import type { OrganizationId } from "#contracts/ids";
import type { Log } from "#event-store/log";
import type { Queryable } from "#projections/database";
import {
  getInvocation,
  listInvocations,
  listSessionInvocations,
} from "#projections/invocations/queries";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import type { Principal } from "../gateway/authentication/principal.ts";
import { metaOf } from "../gateway/requests/request-meta.ts";
import { requireConnection } from "../sessions/connections/granted-connections.ts";
import { requireSession } from "../sessions/session-log.ts";
import { listAvailable } from "./sources/catalogue.ts";
import {
  type ActionCommandsDeps,
  approveInvocation,
  denyInvocation,
  invokeAction,
} from "./commands.ts";
import type { FullResultTable } from "./full-results/full-result-table.ts";
import { readFullResult } from "./full-results/read.ts";
import { invocationNotFound } from "./invocation/invocation-log.ts";
import { invokeAnswer } from "./requests/invoke-answer.ts";
import { requireSource } from "./sources/registry.ts";
import { waitForOutcome } from "./requests/wait-for-outcome.ts";

export interface ActionRoutesDeps extends ActionCommandsDeps {
  readonly sql: Queryable;
  readonly fullResults: FullResultTable;
  readonly log: Log;
  /** How long an agent waits for an allowed action, in milliseconds. */
  readonly outcomeTimeoutMs?: number;
}

export const actionRoutes = (deps: ActionRoutesDeps): readonly RouteHandler[] => [
  ...catalogueRoutes(deps),
  ...commandRoutes(deps),
  ...queryRoutes(deps),
];

const catalogueRoutes = (deps: ActionRoutesDeps): readonly RouteHandler[] => [
  handleRoute(listAvailableActions, async ({ params, principal }) => {
    const organization = principal.organizationId;
    const { sessionId: id } = params;
    const state = await requireSession(deps.store, { organization, session: id });
    const integrations = await listAvailable(deps, organization, { id, state });
    return { status: 200, body: { integrations } };
  }),
  handleRoute(listOrganizationActions, async ({ principal }) => ({
    status: 200,
    body: { integrations: await listAvailable(deps, principal.organizationId, null) },
  })),
  handleRoute(getActionGuide, async ({ params, principal }) => {
    const organization = principal.organizationId;
    const { sessionId } = params;
    const session = await requireSession(deps.store, { organization, session: sessionId });
    requireConnection(session, params.integration);
    const source = await requireSource(deps.registry, organization, params.integration);
    return { status: 200, body: { guide: await source.guide() } };
  }),
];

const commandRoutes = (deps: ActionRoutesDeps): readonly RouteHandler[] => [
  handleRoute(invokeRoute, async (request) => {
    const organization = request.principal.organizationId;
    const { integration, action, params, idempotencyKey } = request.body;
    const { sessionId } = request.params;
    const { id } = await invokeAction(
      deps,
      { organization, sessionId, integration, action, params, idempotencyKey },
      metaOf(request),
    );
    const outcome = await waitForOutcome(
      deps.store,
      { organization, id },
      deps.outcomeTimeoutMs ?? 60_000,
    );
    return invokeAnswer(id, outcome);
  }),
  handleRoute(approveRoute, async (request) => {
    const resolution = {
      ...resolutionOf(request),
      scope: request.body.scope,
      editedParams: request.body.params ?? null,
    };
    return {
      status: 202,
      body: { position: await approveInvocation(deps, resolution, metaOf(request)) },
    };
  }),
  handleRoute(denyRoute, async (request) => {
    const resolution = { ...resolutionOf(request), reason: request.body.reason };
    return {
      status: 202,
      body: { position: await denyInvocation(deps, resolution, metaOf(request)) },
    };
  }),
];

const resolutionOf = <P extends Extract<Principal, { kind: "user" }>, S, I>({
  principal,
  params,
}: {
  readonly principal: P;
  readonly params: { readonly sessionId: S; readonly invocationId: I };
}): { organization: OrganizationId; sessionId: S; id: I; by: P["userId"] } => ({
  organization: principal.organizationId,
  sessionId: params.sessionId,
  id: params.invocationId,
  by: principal.userId,
});

const queryRoutes = (deps: ActionRoutesDeps): readonly RouteHandler[] => [
  handleRoute(listInvocationsRoute, async ({ params: { sessionId }, principal }) => {
    const organization = principal.organizationId;
    await requireSession(deps.store, { organization, session: sessionId });
    const invocations = await listSessionInvocations(deps.sql, {
      organization,
      session: sessionId,
    });
    return { status: 200, body: { invocations } };
  }),
  handleRoute(getInvocationRoute, async ({ params, principal }) => {
    const view = await getInvocation(deps.sql, {
      organization: principal.organizationId,
      id: params.invocationId,
    });
    if (view?.sessionId !== params.sessionId) throw invocationNotFound();
    return { status: 200, body: view };
  }),
  handleRoute(getFullResult, async (request) => ({
    status: 200,
    body: await readFullResult(deps, resolutionOf(request), metaOf(request)),
  })),
  handleRoute(
    listOrganizationInvocationsRoute,
    async ({ query: { limit, cursor, status }, principal }) => ({
      status: 200,
      body: await listInvocations(deps.sql, {
        organization: principal.organizationId,
        limit,
        cursor,
        status,
      }),
    }),
  ),
];
