import { z } from "zod";
import { auditEntrySchema } from "../audit/view.ts";
import { projectionStatusSchema } from "../projections/view.ts";
import { afterQuery, pageQuery } from "./common.ts";
import { defineRoute } from "./route.ts";

export const getHealth = defineRoute({
  method: "GET",
  path: "/healthz",
  audience: "public",
  summary: "Whether this process can reach its log and its database",
  responses: { 200: z.object({ ok: z.literal(true) }) },
});

export const listAudit = defineRoute({
  method: "GET",
  path: "/v1/audit",
  audience: "approver",
  summary: "Who did what, newest first",
  query: z.object({
    ...afterQuery,
    ...pageQuery,
    aggregateId: z.string().max(64).optional(),
  }),
  reads: ["audit"],
  responses: { 200: z.object({ entries: z.array(auditEntrySchema), next: z.string().nullable() }) },
});

export const getProjections = defineRoute({
  method: "GET",
  path: "/v1/projections",
  audience: "approver",
  summary: "How far the read models have come, and what stops them",
  responses: { 200: projectionStatusSchema },
});
