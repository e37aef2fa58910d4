import { z } from "zod";
import { defineAction } from "../vendor/vendor.ts";
import { githubOf, number, paging, repository } from "./client.ts";

const body = z.string().max(60_000);

const listIssues = defineAction({
  id: "list_issues",
  description: "Lists the issues of a repository, newest first.",
  risk: "read",
  params: z.object({
    ...repository,
    ...paging,
    state: z.enum(["open", "closed", "all"]).default("open"),
  }),
  run: async (params, call) => {
    const { data } = await githubOf(call).issues.listForRepo(params);
    // GitHub counts pull requests among the issues.
    return data
      .filter(({ pull_request }) => pull_request === undefined)
      .map(({ number, title, state, user, html_url }) => ({
        number,
        title,
        state,
        author: user?.login,
        url: html_url,
      }));
  },
});

const getIssue = defineAction({
  id: "get_issue",
  description: "Reads an issue or a pull request's description, with its first comments.",
  risk: "read",
  params: z.object({ ...repository, number }),
  run: async ({ owner, repo, number: issue_number }, call) => {
    const { issues } = githubOf(call);
    const { data: issue } = await issues.get({ owner, repo, issue_number });
    const { data: comments } = await issues.listComments({ owner, repo, issue_number });
    const { title, state, user, html_url } = issue;
    return {
      number: issue_number,
      title,
      state,
      author: user?.login,
      body: issue.body,
      url: html_url,
      comments: comments.map(({ id, user, body }) => ({ id, author: user?.login, body })),
    };
  },
});

const createIssue = defineAction({
  id: "create_issue",
  description: "Opens an issue.",
  risk: "write",
  params: z.object({
    ...repository,
    title: z.string().min(1).max(256),
    body: body.default(""),
    labels: z.array(z.string().max(50)).max(20).default([]),
  }),
  run: async (params, call) => {
    const { data } = await githubOf(call).issues.create(params);
    return { number: data.number, url: data.html_url };
  },
});

const addComment = defineAction({
  id: "add_comment",
  description: "Comments on an issue or a pull request.",
  risk: "write",
  params: z.object({ ...repository, number, body: body.min(1) }),
  run: async ({ owner, repo, number: issue_number, body }, call) => {
    const { data } = await githubOf(call).issues.createComment({ owner, repo, issue_number, body });
    return { id: data.id, url: data.html_url };
  },
});

export const issueActions = [listIssues, getIssue, createIssue, addComment];
