/** A trial of a session's service commands: they are started afresh, and looked at for a while. */
import { z } from "zod";

/**
 * - `running`: it runs, and has not failed since it was started
 * - `ended`: it has ended by itself with 0
 * - `failed`: it could not be started, or ended with an error, whether or not it is started again
 */
const triedStatusSchema = z.enum(["running", "ended", "failed"]);

/** How one of them is at the end of the trial, or so far. */
export const triedServiceSchema = z.object({
  name: z.string(),
  status: triedStatusSchema,
  /** Of its last run that ended; null before, and where a signal ended it. */
  exitCode: z.int().nullable(),
  /** Why it was not started; null for one that was. */
  detail: z.string().max(500).nullable(),
});
export type TriedService = z.infer<typeof triedServiceSchema>;
