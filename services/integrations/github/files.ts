import { z } from "zod";
import { defineAction } from "../vendor/vendor.ts";
import { githubOf, repository } from "./client.ts";

const path = z
  .string()
  .min(1)
  .max(1000)
  // The path becomes a part of an address, where these would lead out of the repository.
  .regex(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^\0]+$/)
  .describe("From the repository's root");

const getFile = defineAction({
  id: "get_file",
  description: "Reads a file of a repository, or lists a folder.",
  risk: "read",
  params: z.object({ ...repository, path, ref: z.string().max(250).optional() }),
  run: async ({ ref, ...where }, call) => {
    const { data } = await githubOf(call).repos.getContent({
      ...where,
      ...(ref !== undefined && { ref }),
    });
    if (Array.isArray(data)) return data.map(({ path, type, size }) => ({ path, type, size }));
    if (data.type !== "file") return { path: data.path, type: data.type };
    // Above 1 MB GitHub answers the file without its content.
    const text = Buffer.from(data.content, "base64").toString("utf8");
    return { path: data.path, sha: data.sha, size: data.size, text };
  },
});

const putFile = defineAction({
  id: "put_file",
  description: "Writes a text file to a branch, as one commit. A file that exists needs its `sha`.",
  risk: "write",
  params: z.object({
    ...repository,
    path,
    branch: z.string().min(1).max(250),
    message: z.string().min(1).max(1000).describe("Of the commit"),
    text: z.string().max(500_000),
    sha: z
      .string()
      .regex(/^[0-9a-f]{40}$/)
      .optional()
      .describe("Of the file as `get_file` answered it: the write fails if somebody was faster"),
  }),
  run: async ({ text, sha, ...where }, call) => {
    const { data } = await githubOf(call).repos.createOrUpdateFileContents({
      ...where,
      content: Buffer.from(text, "utf8").toString("base64"),
      ...(sha !== undefined && { sha }),
    });
    return { commit: data.commit.sha, sha: data.content?.sha };
  },
});

export const fileActions = [getFile, putFile];
