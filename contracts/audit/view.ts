import { z } from "zod";
import { actorSchema } from "../actor.ts";
import { aggregateTypes } from "../commit.ts";
import { positionSchema } from "../position.ts";

/** One line of the audit trail: who did what to which aggregate, and when. No event data. */
export const auditEntrySchema = z.object({
  position: positionSchema,
  aggregate: z.enum(aggregateTypes),
  aggregateId: z.string(),
  eventTypes: z.array(z.string()),
  actor: actorSchema,
  commandId: z.string(),
  correlationId: z.string(),
  at: z.iso.datetime(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
