import type { Sql } from "postgres";
import { getHealth, getProjections, listAudit } from "#contracts/http/operations";
import type { EventStore } from "#event-store/event-store";
import { listAudit as queryAudit } from "#projections/audit/queries";
import { readProjectionStatus } from "#projections/status";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import { assertHealthy, type HealthChecks } from "./health.ts";

export interface OperationsRoutesDeps {
  readonly store: EventStore;
  /** The read models. */
  readonly sql: Sql;
  readonly checks: HealthChecks;
}

export const operationsRoutes = ({
  store,
  sql,
  checks,
}: OperationsRoutesDeps): readonly RouteHandler[] => [
  handleRoute(getHealth, async () => {
    await assertHealthy(checks);
    return { status: 200, body: { ok: true as const } };
  }),
  handleRoute(listAudit, async ({ principal, query }) => ({
    status: 200,
    body: await queryAudit(sql, { organization: principal.organizationId, ...query }),
  })),
  handleRoute(getProjections, async () => ({
    status: 200,
    body: await readProjectionStatus(store, sql),
  })),
];
