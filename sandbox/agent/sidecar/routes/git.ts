import { z } from "zod";
import { findRepositories, readDiff, readStatus, type GitAccess } from "../../git/repositories.ts";
import { json, parse, type Route } from "../api.ts";

const statusSchema = z.object({ repo: z.string().default(".") });
const diffSchema = z.object({ repo: z.string().default("."), path: z.string().min(1).optional() });

export const gitRoutes = (git: GitAccess): readonly Route[] => [
  {
    method: "GET",
    pattern: "/api/git/repos",
    handle: async () => {
      const names = await findRepositories(git);
      return json({ repositories: names.map((path) => ({ path })) });
    },
  },
  {
    method: "GET",
    pattern: "/api/git/status",
    handle: async ({ query }) => json(await readStatus(git, parse(statusSchema, query).repo)),
  },
  {
    method: "GET",
    pattern: "/api/git/diff",
    handle: async ({ query }) => {
      const { repo, path } = parse(diffSchema, query);
      return json(await readDiff(git, repo, path ?? null));
    },
  },
];
