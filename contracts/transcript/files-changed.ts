/** What a turn has done to the files of its workspace, as one difference from its beginning to its end. */
import { z } from "zod";

export const fileChangeSchema = z.object({
  /** From the workspace. */
  path: z.string(),
  status: z.enum(["added", "modified", "deleted"]),
  /** In lines; both are 0 for what is no text. */
  additions: z.int().nonnegative(),
  deletions: z.int().nonnegative(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

export const filesChangedSchema = z.object({
  /** How many files; `files` names the first ones only, where they are too many to be kept. */
  count: z.int().positive(),
  /** Of all files together. */
  additions: z.int().nonnegative(),
  deletions: z.int().nonnegative(),
  files: z.array(fileChangeSchema),
});
export type FilesChanged = z.infer<typeof filesChangedSchema>;
