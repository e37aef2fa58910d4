import { z } from "zod";
import { maxAutoDeleteDays } from "../session/limits.ts";

/** Whole days without use; null: never. */
export const autoDeleteDaysSchema = z.int().min(1).max(maxAutoDeleteDays).nullable();

/** After how long the organisation's sessions are deleted of which nobody has said anything. */
export const autoDeleteDefaultSchema = z.object({
  days: autoDeleteDaysSchema,
  /** Who says so: the organisation itself, or the deployment, as long as the organisation has said nothing. */
  setBy: z.enum(["organization", "deployment"]),
});
export type AutoDeleteDefault = z.infer<typeof autoDeleteDefaultSchema>;
