import { z } from "zod";

/** Who caused a commit. `via` says through which door: `http`, `cli`, `timer`, a reactor's name. */
export const actorSchema = z.object({
  kind: z.enum(["user", "sandbox", "service", "webhook", "timer"]),
  id: z.string().min(1).max(128),
  via: z.string().min(1).max(64),
});
export type Actor = z.infer<typeof actorSchema>;
