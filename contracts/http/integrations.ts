import { z } from "zod";
import { vendorIdSchema } from "../integration/events.ts";
import { acceptedSchema } from "./common.ts";
import { defineRoute } from "./route.ts";

const vendorParams = z.object({ vendor: vendorIdSchema });

export const listIntegrations = defineRoute({
  method: "GET",
  path: "/v1/integrations",
  audience: "user",
  summary: "The vendors that can be connected, and whether they are; never their credentials",
  responses: {
    200: z.object({
      integrations: z.array(
        z.object({
          vendor: vendorIdSchema,
          name: z.string(),
          connected: z.boolean(),
          /** Of a self-hosted installation. */
          baseUrl: z.string().nullable(),
        }),
      ),
    }),
  },
});

export const connectIntegration = defineRoute({
  method: "PUT",
  path: "/v1/integrations/:vendor",
  audience: "approver",
  summary:
    "Give a vendor's credentials, in the place of the former ones, once the vendor has taken them",
  params: vendorParams,
  body: z.object({
    token: z
      .string()
      .min(1)
      .max(4096)
      .regex(/^[\x21-\x7e]+$/),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .refine((text) => new URL(text).username === "" && new URL(text).password === "", {
        message: "must hold no credentials",
      })
      .nullable()
      .default(null),
  }),
  responses: { 202: acceptedSchema },
});

export const disconnectIntegration = defineRoute({
  method: "DELETE",
  path: "/v1/integrations/:vendor",
  audience: "approver",
  summary: "Forget a vendor's credentials",
  params: vendorParams,
  responses: { 202: acceptedSchema },
});

export const testIntegration = defineRoute({
  method: "POST",
  path: "/v1/integrations/:vendor/test",
  audience: "approver",
  summary: "Ask the vendor now whether it takes the organisation's credentials",
  params: vendorParams,
  responses: {
    200: z.object({
      problem: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  },
});
