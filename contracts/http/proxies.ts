import { z } from "zod";
import { proxyAccessSchema, proxyTargetSchema } from "../proxies/target.ts";
import { sessionParams } from "./common.ts";
import { defineRoute } from "./route.ts";

export const openProxy = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/proxies",
  audience: "user",
  summary:
    "A path below which the sandbox is reached for 15 minutes, an editor for 12 hours; to write, the session's creator, an owner or an admin",
  params: sessionParams,
  body: z.object({
    target: proxyTargetSchema,
    access: proxyAccessSchema.default("read"),
  }),
  responses: {
    200: z.object({
      /** On the gateway, ending with a slash. Whoever knows it gets in. */
      path: z.string(),
      /** Where the path has to be opened if not at the gateway: pages of the sandbox that need an origin. */
      origin: z.url().nullable(),
      expiresAt: z.iso.datetime(),
    }),
  },
});
