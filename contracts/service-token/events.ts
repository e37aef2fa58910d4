/**
 * The events of a service token, for the audit trail: who has let a program in, and who has shut it out, is the
 * actor of the commit. Whether a token is good now is not told by the log.
 */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { idSchema } from "../ids.ts";
import { programNameSchema } from "../identity/program-name.ts";
import { serviceScopeSchema } from "../identity/service-scope.ts";

export const serviceTokenEvents = [
  defineEvent("ServiceTokenIssued", 1, {
    /** As whom the program acts. */
    userId: idSchema("user"),
    name: programNameSchema,
    scopes: z.array(serviceScopeSchema),
    expiresAt: z.iso.datetime(),
  }),
  defineEvent("ServiceTokenRevoked", 1, {}),
] as const;
export type ServiceTokenEvent = EventOf<(typeof serviceTokenEvents)[number]>;
