import { z } from "zod";

/** The repository that a sandbox clones, and the branch, tag or commit that it checks out. */
export const repositorySchema = z.object({
  url: z.string().min(1).max(2048),
  ref: z.string().min(1).max(256).default("HEAD"),
});
export type Repository = z.infer<typeof repositorySchema>;

/** The path of a repository that is the workspace itself. */
export const workspaceRoot = ".";

/** Neither `..` nor hidden folders, nor what a program could take for an option. */
const folderPath = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*$/;

/** A repository and its folder below the workspace, for example `apps/shop`. */
export const workspaceRepositorySchema = repositorySchema.extend({
  path: z.union([z.literal(workspaceRoot), z.string().max(200).regex(folderPath)]),
});
export type WorkspaceRepository = z.infer<typeof workspaceRepositorySchema>;

/** One repository may be the workspace; several have a folder each, and none is inside another. */
export const workspaceRepositoriesSchema = z
  .array(workspaceRepositorySchema)
  .max(10)
  .refine((repositories) => !overlap(repositories.map(({ path }) => path)), {
    message: "two repositories cannot share a folder",
  });

const overlap = (paths: readonly string[]): boolean =>
  paths.some((one, index) =>
    paths.some(
      (other, otherIndex) =>
        index !== otherIndex && (one === workspaceRoot || `${other}/`.startsWith(`${one}/`)),
    ),
  );

/** What people call a repository: the last two parts of its address, and never a credential in it. */
export const repositoryName = (url: string): string =>
  url
    .replace(/\.git\/?$/, "")
    .split(/[/:]/)
    .filter((part) => part !== "" && !part.includes("@"))
    .slice(-2)
    .join("/");
