import type { Sql } from "postgres";
import { getHealth, listAudit } from "#contracts/http/operations";
import { listAudit as queryAudit } from "#projections/audit/queries";
import { handleRoute, type RouteHandler } from "../gateway/handle-route.ts";
import { assertHealthy, type HealthChecks } from "./health.ts";

export interface OperationsRoutesDeps {
  /** The read models. */
  readonly sql: Sql;
  readonly checks: HealthChecks;
}

export const operationsRoutes = ({
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
];
