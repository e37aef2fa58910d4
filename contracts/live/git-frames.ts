/** Git on the live channel: the bodies are those of the HTTP routes, and so is what they do. */
import { z } from "zod";
import * as http from "../http/git.ts";
import { gitRepositorySchema, gitStatusSchema } from "../sandbox/git.ts";
import { requestIdSchema } from "./request-id.ts";

const asked = <Type extends string>(type: Type) => ({
  type: z.literal(type),
  requestId: requestIdSchema,
});

/** What a client may ask for. All but the first change something. */
export const gitFrameSchemas = [
  /** As `GET /v1/sessions/:id/git/status`; answered by `git_status`. */
  z.object({ ...asked("get_git_status"), repo: gitRepositorySchema }),
  http.createGitBranch.body.extend(asked("git_create_branch")),
  http.stageGitChanges.body.extend(asked("git_stage")),
  http.commitGitChanges.body.extend(asked("git_commit")),
  http.pushGitBranch.body.extend(asked("git_push")),
  http.openPullRequest.body.extend(asked("git_create_pr")),
] as const;
export type GitFrame = z.infer<(typeof gitFrameSchemas)[number]>;

const gitFrameTypes: readonly string[] = gitFrameSchemas.map(({ shape }) => shape.type.value);

export const isGitFrame = <Frame extends { readonly type: string }>(
  frame: Frame,
): frame is Extract<Frame, { type: GitFrame["type"] }> => gitFrameTypes.includes(frame.type);

/** How many changed files a frame names at most; over HTTP there are more. */
export const maxFilesInFrame = 500;

/** What the server answers on the connection that asked; a refusal is a `refused`, with its code. */
export const gitAnswerSchemas = [
  gitStatusSchema.extend({ type: z.literal("git_status"), requestId: z.string() }),
  /** It is done. */
  z.object({
    type: z.literal("git_result"),
    requestId: z.string(),
    /** The type of the frame that asked. */
    operation: z.string(),
    /** The branch that is checked out now; null after `git_stage`. */
    branch: z.string().nullable(),
    /** The id of its newest commit; of a commit, a push and a pull request. */
    commit: z.string().nullable(),
    pullRequest: z.object({ number: z.int(), url: z.string(), base: z.string() }).nullable(),
  }),
] as const;
export type GitAnswer = z.infer<(typeof gitAnswerSchemas)[number]>;
