import { z } from "zod";
import {
  branchNameSchema,
  gitCommitRequestSchema,
  gitPushRequestSchema,
  gitRepositorySchema,
  stageSchema,
} from "#contracts/sandbox/git";
import { createBranch, readBranches } from "../../git/branches.ts";
import { commit, stage } from "../../git/commits.ts";
import type { GitClientOptions } from "../../git/git-client.ts";
import { push } from "../../git/push.ts";
import type { RememberedChanges } from "../../git/remembered-changes.ts";
import { type GitAccess, inRepository } from "../../git/repositories.ts";
import { json, parse, type Route } from "../api.ts";

const repoSchema = z.object({ repo: gitRepositorySchema });
const keySchema = z.string().min(1).max(300).optional();

/** For the gateway, which says who asks and with which credential. */
export const gitChangeRoutes = (
  access: GitAccess,
  remembered: RememberedChanges,
): readonly Route[] => {
  /** A change of the repository that the body names. */
  const change = <Body>(
    pattern: string,
    schema: z.ZodType<Body>,
    make: (repository: GitClientOptions, body: Body) => Promise<unknown>,
  ): Route => ({
    method: "POST",
    pattern,
    handle: async ({ body, headers }) => {
      const { repo } = parse(repoSchema, body);
      const asked = parse(schema, body);
      const key = parse(keySchema, headers["idempotency-key"]);
      const change = async () =>
        (await inRepository(access, repo, (git) => make(git, asked))) ?? {};
      return json(
        await (key === undefined
          ? change()
          : remembered.once(key, { pattern, repo, asked }, change)),
      );
    },
  });
  return [
    {
      method: "GET",
      pattern: "/api/git/branches",
      handle: async ({ query }) =>
        json(await inRepository(access, parse(repoSchema, query).repo, readBranches)),
    },
    change("/api/git/branch", z.object({ name: branchNameSchema }), (git, { name }) =>
      createBranch(git, name),
    ),
    change("/api/git/stage", stageSchema, (git, { paths }) => stage(git, paths)),
    change("/api/git/commit", gitCommitRequestSchema, commit),
    change("/api/git/push", gitPushRequestSchema, push),
  ];
};
