import { Octokit } from "@octokit/rest";
import { z } from "zod";
import type { VendorCall } from "../vendor/vendor.ts";

/** GitHub's own client, for one call. */
export const githubOf = ({ token, baseUrl, fetch }: VendorCall): Octokit =>
  new Octokit({
    auth: token,
    baseUrl,
    request: { fetch },
    // Deprecation notices are for us, and not for the standard output.
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });

/** Parameters that name a repository. */
export const repository = {
  owner: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/),
  repo: z.string().regex(/^(?!\.{1,2}$)[\w.-]{1,100}$/),
};

export const number = z.int().min(1).describe("The number of the issue or pull request");

export const paging = {
  per_page: z.int().min(1).max(50).default(30),
  page: z.int().min(1).max(1000).default(1),
};
