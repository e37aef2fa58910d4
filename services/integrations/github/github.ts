/** GitHub's issues, pull requests, checks and files, through GitHub's own client. */
import type { Vendor } from "../vendor/vendor.ts";
import { fileActions } from "./files.ts";
import { issueActions } from "./issues.ts";
import { pullRequestActions } from "./pull-requests.ts";

export const github: Vendor = {
  id: "github",
  name: "GitHub",
  baseUrl: "https://api.github.com",
  actions: [...issueActions, ...pullRequestActions, ...fileActions],
};
