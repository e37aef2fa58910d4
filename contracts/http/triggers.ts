import { z } from "zod";
import { idSchema } from "../ids.ts";
import { repositorySchema } from "../repository.ts";
import { runViewSchema } from "../run/view.ts";
import { namedConnectionsSchema } from "../session/connections.ts";
import { triggerFilterSchema } from "../trigger/events.ts";
import { triggerViewSchema } from "../trigger/view.ts";
import { acceptedSchema, afterQuery, pageQuery } from "./common.ts";
import { defineRoute } from "./route.ts";

const triggerParams = z.object({ triggerId: idSchema("trigger") });

export const createTrigger = defineRoute({
  method: "POST",
  path: "/v1/triggers",
  audience: "approver",
  summary: "Create a webhook trigger; its signing secret is shown this once",
  body: z
    .object({
      name: z.string().trim().min(1).max(100),
      filter: triggerFilterSchema.default({}),
      prompt: z.string().min(1).max(20_000),
      repository: repositorySchema.nullable().default(null),
      /** What the workspace of its sessions is made of, in place of a repository. */
      configurationId: idSchema("configuration").optional(),
      /** The only integrations and connectors that its sessions may use; by default all there are. */
      connections: namedConnectionsSchema.optional(),
    })
    .refine(
      ({ repository, configurationId }) => configurationId === undefined || repository === null,
      { path: ["configurationId"], message: "name either a repository or a configuration" },
    ),
  responses: {
    201: acceptedSchema.extend({
      triggerId: idSchema("trigger"),
      /** Where producers post to. */
      path: z.string(),
      /** The key of the HMAC, in hex. */
      signingSecret: z.string(),
    }),
  },
});

export const listTriggers = defineRoute({
  method: "GET",
  path: "/v1/triggers",
  audience: "user",
  summary: "The organisation's triggers",
  query: z.object(afterQuery),
  reads: ["triggers"],
  responses: { 200: z.object({ triggers: z.array(triggerViewSchema) }) },
});

export const listRuns = defineRoute({
  method: "GET",
  path: "/v1/runs",
  audience: "user",
  summary: "The automation runs, newest first",
  query: z.object({ ...afterQuery, ...pageQuery }),
  reads: ["runs"],
  responses: { 200: z.object({ runs: z.array(runViewSchema), next: z.string().nullable() }) },
});

/** Signed over `<delivery id>.<timestamp>.<raw body>`; the value is `t=<unix seconds>,v1=<hex HMAC-SHA256>`. */
export const webhookSignatureHeader = "x-webhook-signature";
/** Names the delivery; a producer that retries sends the same one. */
export const webhookDeliveryHeader = "x-webhook-delivery";

export const ingestWebhook = defineRoute({
  method: "POST",
  path: "/v1/hooks/:triggerId",
  audience: "public",
  summary: "Deliver a signed webhook; 202 once it is stored, and again for a repetition",
  params: triggerParams,
  headers: z.object({
    [webhookSignatureHeader]: z.string().max(200).optional(),
    [webhookDeliveryHeader]: z.string().max(128).optional(),
  }),
  responses: { 202: z.object({ deliveryId: z.string(), duplicate: z.boolean() }) },
});
