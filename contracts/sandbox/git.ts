/** What the gateway asks a sandbox's sidecar to do with git, and what it answers. */
import { z } from "zod";

/** A repository's folder below the workspace; `.` is the workspace itself. */
export const gitRepositorySchema = z.string().min(1).max(200).default(".");

/**
 * What git takes for a branch's name (git-check-ref-format), a little narrower: nothing that could be an
 * option or an expression.
 */
export const branchNameSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(/^(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)|\/\.|[./]$))[A-Za-z0-9_][\w./@+#=-]*$/, {
    message: "is no name of a branch",
  });

export const gitStatusSchema = z.object({
  /** Null when no branch is checked out. */
  branch: z.string().nullable(),
  tracking: z.string().nullable(),
  ahead: z.int(),
  behind: z.int(),
  /** `index` and `workingTree` are git's letters, ` ` for unchanged and `?` for untracked. */
  files: z.array(
    z.object({
      path: z.string(),
      from: z.string().nullable(),
      index: z.string(),
      workingTree: z.string(),
    }),
  ),
  /** More files have changed than are shown. */
  truncated: z.boolean(),
});

/** What was begun in a repository and is not over, so that it takes no commit of somebody else. */
export const gitOperationSchema = z.enum(["merge", "rebase", "cherry_pick", "revert", "bisect"]);
export type GitOperation = z.infer<typeof gitOperationSchema>;

export const gitBranchesSchema = z.object({
  /** Null when no branch is checked out. */
  current: z.string().nullable(),
  /** The local ones, the one with the newest commit first. */
  branches: z.array(z.string()),
  operation: gitOperationSchema.nullable(),
});
export type GitBranches = z.infer<typeof gitBranchesSchema>;

export const stageSchema = z.object({
  /** Files or folders, relative to the repository; none for everything that has changed. */
  paths: z.array(z.string().min(1).max(1_000)).max(500).default([]),
});

export const commitMessageSchema = z.string().trim().min(1).max(10_000);

export const gitCommitRequestSchema = z.object({
  message: commitMessageSchema,
  author: z.object({ name: z.string().min(1).max(200), email: z.string().min(1).max(320) }),
});

export const gitHeadSchema = z.object({
  branch: z.string(),
  /** The id of the branch's newest commit. */
  commit: z.string(),
});
export type GitHead = z.infer<typeof gitHeadSchema>;

export const gitPushRequestSchema = z.object({
  /** Where to; never taken from the repository's own configuration, which the agent writes. */
  url: z.string().min(1).max(2_048),
  /** Branches that nothing is pushed to. */
  protectedBranches: z.array(z.string()),
  /** For this one command. Null: nobody's. */
  credential: z.object({ username: z.string(), password: z.string() }).nullable(),
});
export type GitPushRequest = z.infer<typeof gitPushRequestSchema>;
