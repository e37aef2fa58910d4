import { z } from "zod";
import { defineAction } from "../vendor/vendor.ts";
import { githubOf, number, paging, repository } from "./client.ts";

const ref = z.string().min(1).max(250).describe("A branch, a tag or a commit");

const listPullRequests = defineAction({
  id: "list_pull_requests",
  description: "Lists the pull requests of a repository, newest first.",
  risk: "read",
  params: z.object({
    ...repository,
    ...paging,
    state: z.enum(["open", "closed", "all"]).default("open"),
  }),
  run: async (params, call) => {
    const { data } = await githubOf(call).pulls.list(params);
    return data.map(({ number, title, state, head, base, html_url }) => ({
      number,
      title,
      state,
      head: head.ref,
      base: base.ref,
      url: html_url,
    }));
  },
});

const getPullRequest = defineAction({
  id: "get_pull_request",
  description: "Reads a pull request and the files that it changes.",
  risk: "read",
  params: z.object({ ...repository, number }),
  run: async ({ owner, repo, number: pull_number }, call) => {
    const { pulls } = githubOf(call);
    const { data } = await pulls.get({ owner, repo, pull_number });
    const { data: files } = await pulls.listFiles({ owner, repo, pull_number, per_page: 100 });
    const { title, state, body, merged, mergeable, head, base, html_url } = data;
    return {
      number: pull_number,
      title,
      state,
      body,
      merged,
      mergeable,
      head: { ref: head.ref, sha: head.sha },
      base: base.ref,
      url: html_url,
      files: files.map(({ filename, status, additions, deletions }) => ({
        filename,
        status,
        additions,
        deletions,
      })),
    };
  },
});

const createPullRequest = defineAction({
  id: "create_pull_request",
  description: "Opens a pull request from a branch that was pushed.",
  risk: "write",
  params: z.object({
    ...repository,
    title: z.string().min(1).max(256),
    head: ref.describe("The branch with the changes"),
    base: ref.describe("The branch to merge into"),
    body: z.string().max(60_000).default(""),
    draft: z.boolean().default(false),
  }),
  run: async (params, call) => {
    const { data } = await githubOf(call).pulls.create(params);
    return { number: data.number, url: data.html_url };
  },
});

const listChecks = defineAction({
  id: "list_checks",
  description: "Lists the check runs of a commit with their outcomes.",
  risk: "read",
  params: z.object({ ...repository, ...paging, ref }),
  run: async (params, call) => {
    const { data } = await githubOf(call).checks.listForRef(params);
    return data.check_runs.map(({ name, status, conclusion, html_url }) => ({
      name,
      status,
      conclusion,
      url: html_url,
    }));
  },
});

export const pullRequestActions = [listPullRequests, getPullRequest, createPullRequest, listChecks];
