import {
  createTrigger as createRoute,
  ingestWebhook,
  listTriggers as listRoute,
  webhookDeliveryHeader,
  webhookSignatureHeader,
} from "#contracts/http/triggers";
import type { Queryable } from "#projections/database";
import { listTriggers } from "#projections/triggers/queries";
import { requireConfiguration } from "../configurations/commands.ts";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import { metaOf } from "../gateway/requests/request-meta.ts";
import { createTrigger } from "./commands.ts";
import { ingest, type IngestDeps } from "./ingest.ts";

export interface TriggerRoutesDeps extends IngestDeps {
  readonly sql: Queryable;
}

export const triggerRoutes = (deps: TriggerRoutesDeps): readonly RouteHandler[] => [
  handleRoute(createRoute, async (request) => {
    const { body, principal } = request;
    const { configurationId = null, connections = null, ...trigger } = body;
    const organization = principal.organizationId;
    if (configurationId) {
      await requireConfiguration(deps.store, { organization, id: configurationId });
    }
    const session = configurationId || connections ? { configurationId, connections } : null;
    const created = await createTrigger(
      deps,
      organization,
      { ...trigger, session, provider: "custom", createdBy: principal.userId },
      metaOf(request),
    );
    return {
      status: 201,
      body: { ...created, path: ingestWebhook.path.replace(":triggerId", created.triggerId) },
    };
  }),
  handleRoute(listRoute, async ({ principal }) => ({
    status: 200,
    body: { triggers: await listTriggers(deps.sql, { organization: principal.organizationId }) },
  })),
  handleRoute(ingestWebhook, async ({ params, headers, rawBody, trace }) => ({
    status: 202,
    body: await ingest(deps, {
      triggerId: params.triggerId,
      signature: headers[webhookSignatureHeader],
      deliveryId: headers[webhookDeliveryHeader],
      body: rawBody,
      trace,
    }),
  })),
];
