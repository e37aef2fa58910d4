import { z } from "zod";

/**
 * Where a commit stands in the log, as an opaque text. Only `event-store` reads what is inside;
 * everybody else passes it on, for instance as `?after=` to read their own write.
 */
export const positionSchema = z.string().min(3).max(40).brand("Position");
export type Position = z.infer<typeof positionSchema>;
