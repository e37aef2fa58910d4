/** GitHub's issues, pull requests, checks and files, through GitHub's own client. */
import { z } from "zod";
import type { Vendor } from "../vendor/vendor.ts";
import { githubOf } from "./client.ts";
import { fileActions } from "./files.ts";
import { issueActions } from "./issues.ts";
import { pullRequestActions } from "./pull-requests.ts";

/** How GitHub marks the tokens of an app's installation: nobody in particular has them, so there is no user to ask for. */
const ofInstallation = /^(ghs_|v1\.)/;

export const github: Vendor = {
  id: "github",
  name: "GitHub",
  baseUrl: "https://api.github.com",
  prove: async (call) => {
    const { apps, users } = githubOf(call);
    if (ofInstallation.test(call.token)) {
      const { data } = await apps.listReposAccessibleToInstallation({ per_page: 1 });
      z.object({ total_count: z.int() }).parse(data);
    } else {
      z.object({ login: z.string() }).parse((await users.getAuthenticated()).data);
    }
  },
  actions: [...issueActions, ...pullRequestActions, ...fileActions],
};
