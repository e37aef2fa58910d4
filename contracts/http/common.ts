import { z } from "zod";
import { idSchema } from "../ids.ts";
import { positionSchema } from "../position.ts";

/** What every command answers: where its commit stands, for `?after=` of a later query. */
export const acceptedSchema = z.object({ position: positionSchema });
export type Accepted = z.infer<typeof acceptedSchema>;

/** Waits, for 2 seconds at most, until the answer includes the commit at this position. */
export const afterQuery = { after: positionSchema.optional() };

/** Pages run from the newest to the oldest; `cursor` is what the page before answered as `next`. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
};

export const sessionParams = z.object({ sessionId: idSchema("session") });
export const invocationParams = sessionParams.extend({ invocationId: idSchema("invocation") });

/** Answers of this header say up to which position the read model stood. */
export const positionHeader = "x-position";

/** The same key with the same body is the same request, however often it is sent. */
export const idempotencyHeaders = z.object({
  "idempotency-key": z.string().min(1).max(200).optional(),
});
