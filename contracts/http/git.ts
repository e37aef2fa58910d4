import { z } from "zod";
import {
  branchNameSchema,
  commitMessageSchema,
  gitBranchesSchema,
  gitHeadSchema,
  gitRepositorySchema,
  gitStatusSchema,
  stageSchema,
} from "../sandbox/git.ts";
import { idempotencyHeaders, sessionParams } from "./common.ts";
import { defineRoute } from "./route.ts";

/** Which of the session's repositories, by its folder below the workspace. */
const repo = { repo: gitRepositorySchema };

export const getGitStatus = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/git/status",
  audience: "user",
  summary: "What has changed in a repository of the session's sandbox",
  params: sessionParams,
  query: z.object(repo),
  responses: { 200: gitStatusSchema },
});

export const listGitBranches = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/git/branches",
  audience: "user",
  summary: "The branches of a repository, and whether a merge or the like is under way",
  params: sessionParams,
  query: z.object(repo),
  responses: { 200: gitBranchesSchema },
});

export const createGitBranch = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/git/branches",
  audience: "user",
  summary: "Create a branch and check it out",
  params: sessionParams,
  headers: idempotencyHeaders,
  body: z.object({ ...repo, name: branchNameSchema }),
  responses: { 201: z.object({ branch: z.string() }) },
});

export const stageGitChanges = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/git/stage",
  audience: "user",
  summary: "Add changes to the next commit: the named files, or everything",
  params: sessionParams,
  body: stageSchema.extend(repo),
  responses: { 200: z.object({}) },
});

export const commitGitChanges = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/git/commits",
  audience: "user",
  summary: "Commit what is staged, in the name of who asks",
  params: sessionParams,
  headers: idempotencyHeaders,
  body: z.object({ ...repo, message: commitMessageSchema }),
  responses: { 201: gitHeadSchema },
});

export const pushGitBranch = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/git/push",
  audience: "user",
  summary: "Push the branch that is checked out, unless it is a protected one",
  params: sessionParams,
  body: z.object(repo),
  responses: { 200: gitHeadSchema },
});

export const openPullRequest = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/git/pull-requests",
  audience: "user",
  summary: "Push the branch and open a pull request of it, or answer the open one",
  params: sessionParams,
  body: z.object({
    ...repo,
    title: z.string().trim().min(1).max(256),
    body: z.string().max(60_000).default(""),
    /** The branch to merge into; by default the one that the session began with, or the repository's own. */
    base: branchNameSchema.optional(),
    draft: z.boolean().default(false),
  }),
  responses: {
    201: gitHeadSchema.extend({ number: z.int(), url: z.string(), base: z.string() }),
  },
});
