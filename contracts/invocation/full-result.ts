/** What became of a result in full, where the log holds it only in part. */
import { z } from "zod";

/**
 * `kept`: sealed beside the log, under the attempt that it came from, until an instant. `too_large`: longer than
 * may be kept. `failed`: it should have been kept, and could not be.
 */
export const fullResultSchema = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("kept"),
    attempt: z.int().positive(),
    /** Of its JSON text, in UTF-8. */
    bytes: z.int().positive(),
    until: z.iso.datetime(),
  }),
  z.object({ status: z.literal("too_large"), bytes: z.int().positive() }),
  z.object({ status: z.literal("failed") }),
]);
export type FullResult = z.infer<typeof fullResultSchema>;
