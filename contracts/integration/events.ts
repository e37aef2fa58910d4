import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";

/** The vendors whose actions come with the program. */
export const vendorIdSchema = z.enum(["github", "linear", "posthog", "sentry", "slack"]);
export type VendorId = z.infer<typeof vendorIdSchema>;

export const integrationEvents = [
  /** Credentials were given, for the first time or anew; they themselves are in the secrets. */
  defineEvent("IntegrationConnected", 1, {
    vendor: vendorIdSchema,
    /** Of a self-hosted installation; null for the vendor's own. */
    baseUrl: z.string().nullable(),
  }),
  defineEvent("IntegrationDisconnected", 1, { vendor: vendorIdSchema }),
] as const;
export type IntegrationEvent = EventOf<(typeof integrationEvents)[number]>;
