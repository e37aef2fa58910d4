import { z } from "zod";

/**
 * Names a request in the frame that answers it, and is its idempotency key: the same one again, on
 * whatever connection, is the same request.
 */
export const requestIdSchema = z.string().regex(/^[\w.:-]{1,64}$/);
