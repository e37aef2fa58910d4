/** Linear's issues and comments. */
import type { Issue } from "@linear/sdk";
import { z } from "zod";
import { defineAction, type Vendor } from "../vendor/vendor.ts";
import { linearOf } from "./client.ts";

const id = z.uuid();
const issueId = z
  .string()
  .regex(/^([0-9a-f-]{36}|[A-Za-z0-9]{1,10}-\d{1,10})$/)
  .describe("An id, or an identifier such as ENG-123");

const summaryOf = (issue: Issue) => ({
  id: issue.id,
  identifier: issue.identifier,
  title: issue.title,
  priority: issue.priorityLabel,
  stateId: issue.stateId,
  assigneeId: issue.assigneeId,
  teamId: issue.teamId,
  projectId: issue.projectId,
  updatedAt: issue.updatedAt,
  url: issue.url,
});

const listIssues = defineAction({
  id: "list_issues",
  description: "Lists issues, those that were changed last first.",
  risk: "read",
  params: z.object({
    teamId: id.optional(),
    projectId: id.optional(),
    first: z.int().min(1).max(50).default(25),
    after: z.string().max(500).optional().describe("What the page before answered as `next`"),
  }),
  run: async ({ teamId, projectId, first, after }, call) => {
    const { nodes, pageInfo } = await linearOf(call, { reads: true }).issues({
      first,
      filter: {
        ...(teamId !== undefined && { team: { id: { eq: teamId } } }),
        ...(projectId !== undefined && { project: { id: { eq: projectId } } }),
      },
      ...(after !== undefined && { after }),
    });
    return {
      issues: nodes.map(summaryOf),
      next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null,
    };
  },
});

const getIssue = defineAction({
  id: "get_issue",
  description: "Reads one issue.",
  risk: "read",
  params: z.object({ issueId }),
  run: async ({ issueId }, call) => {
    const issue = await linearOf(call, { reads: true }).issue(issueId);
    return { ...summaryOf(issue), description: issue.description, branchName: issue.branchName };
  },
});

const changes = {
  description: z.string().max(100_000).optional(),
  assigneeId: id.optional(),
  stateId: id.optional(),
  priority: z.int().min(0).max(4).optional().describe("0 none, 1 urgent, 2 high, 3 medium, 4 low"),
};

const title = z.string().min(1).max(255);

const createIssue = defineAction({
  id: "create_issue",
  description: "Creates an issue.",
  risk: "write",
  params: z.object({
    teamId: id,
    title,
    ...changes,
    labelIds: z.array(id).max(20).optional(),
    projectId: id.optional(),
  }),
  run: async (input, call) => {
    const created = await linearOf(call, { reads: false }).createIssue(given(input));
    return { success: created.success, issueId: created.issueId };
  },
});

const updateIssue = defineAction({
  id: "update_issue",
  description: "Changes an issue.",
  risk: "write",
  params: z.object({ issueId, title: title.optional(), ...changes }),
  run: async ({ issueId, ...input }, call) => {
    const updated = await linearOf(call, { reads: false }).updateIssue(issueId, given(input));
    return { success: updated.success, issueId: updated.issueId };
  },
});

const addComment = defineAction({
  id: "add_comment",
  description: "Comments on an issue.",
  risk: "write",
  params: z.object({ issueId, body: z.string().min(1).max(100_000) }),
  run: async (input, call) => {
    const added = await linearOf(call, { reads: false }).createComment(input);
    return { success: added.success, commentId: added.commentId };
  },
});

/** The same without what was left out: a field that is there and undefined is another type. */
const given = <T extends object>(input: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never;

export const linear: Vendor = {
  id: "linear",
  name: "Linear",
  baseUrl: "https://api.linear.app",
  prove: async (call) => {
    await linearOf(call, { reads: true }).viewer;
  },
  actions: [listIssues, getIssue, createIssue, updateIssue, addComment],
};
