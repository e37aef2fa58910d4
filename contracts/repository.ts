import { z } from "zod";

/** The repository that a sandbox clones, and the branch, tag or commit that it checks out. */
export const repositorySchema = z.object({
  url: z.string().min(1).max(2048),
  ref: z.string().min(1).max(256).default("HEAD"),
});
export type Repository = z.infer<typeof repositorySchema>;
