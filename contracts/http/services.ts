import { z } from "zod";
import { acceptedSchema, idempotencyHeaders, sessionParams } from "./common.ts";
import { defineRoute } from "./route.ts";

export const runServices = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/services/run",
  audience: "user",
  summary:
    "Start the session's services afresh and tell those who watch how they do; for the session's creator, an owner or an admin",
  params: sessionParams,
  headers: idempotencyHeaders,
  responses: {
    202: acceptedSchema.extend({
      /** What is told of it on the live channel names this. */
      requestId: z.string(),
    }),
  },
});
