import { listRuns as listRunsRoute } from "#contracts/http/triggers";
import type { Queryable } from "#projections/database";
import { listRuns } from "#projections/runs/queries";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";

export const automationRoutes = (sql: Queryable): readonly RouteHandler[] => [
  handleRoute(listRunsRoute, async ({ query: { limit, cursor }, principal }) => ({
    status: 200,
    body: await listRuns(sql, { organization: principal.organizationId, limit, cursor }),
  })),
];
