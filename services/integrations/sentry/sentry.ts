/**
 * Sentry's issues and events, over its web API (https://docs.sentry.io/api/): Sentry's own packages send
 * events and do not speak it.
 */
import { z } from "zod";
import { type RestRequest, requestJson } from "../vendor/rest.ts";
import { unlessForbidden } from "../vendor/prove-credentials.ts";
import { defineAction, type Vendor, type VendorCall } from "../vendor/vendor.ts";

const request = (call: VendorCall, what: RestRequest) => requestJson("Sentry", call, what);

const slug = z.string().regex(/^[\w-]{1,100}$/);
const issueId = z
  .string()
  .regex(/^\d{1,20}$/)
  .describe("The number of the issue, not its short id");
const cursor = z.string().max(200).optional().describe("What the page before answered as `next`");

/** Sentry names the next page in a `Link` header, which is always there, and says whether it has results. */
const nextOf = (headers: Headers): string | null => {
  const next = (headers.get("link") ?? "")
    .split(",")
    .find((link) => link.includes('rel="next"') && link.includes('results="true"'));
  return /cursor="([^"]*)"/.exec(next ?? "")?.[1] ?? null;
};

const list = async (call: VendorCall, what: RestRequest): Promise<unknown> => {
  const { body, headers } = await request(call, what);
  return { items: body, next: nextOf(headers) };
};

const listIssues = defineAction({
  id: "list_issues",
  description: "Lists the issues of a project, newest first.",
  risk: "read",
  params: z.object({
    organization_slug: slug,
    project_slug: slug,
    query: z.string().max(1000).optional().describe("In Sentry's search syntax"),
    cursor,
  }),
  run: ({ organization_slug, project_slug, query, cursor }, call) =>
    list(call, {
      path: ["projects", organization_slug, project_slug, "issues"],
      query: { query, cursor },
    }),
});

const getIssue = defineAction({
  id: "get_issue",
  description: "Reads one issue.",
  risk: "read",
  params: z.object({ issue_id: issueId }),
  run: async ({ issue_id }, call) => (await request(call, { path: ["issues", issue_id] })).body,
});

const listIssueEvents = defineAction({
  id: "list_issue_events",
  description: "Lists the events of an issue, newest first.",
  risk: "read",
  params: z.object({ issue_id: issueId, cursor }),
  run: ({ issue_id, cursor }, call) =>
    list(call, { path: ["issues", issue_id, "events"], query: { cursor } }),
});

const getEvent = defineAction({
  id: "get_event",
  description: "Reads one event of an issue, with its stack trace.",
  risk: "read",
  params: z.object({
    issue_id: issueId,
    event_id: z.string().regex(/^([0-9a-f]{32}|latest|oldest|recommended)$/),
  }),
  run: async ({ issue_id, event_id }, call) =>
    (await request(call, { path: ["issues", issue_id, "events", event_id] })).body,
});

const updateIssue = defineAction({
  id: "update_issue",
  description: "Changes the status of an issue, or who it is assigned to.",
  risk: "write",
  params: z.object({
    issue_id: issueId,
    status: z.enum(["resolved", "resolvedInNextRelease", "unresolved", "ignored"]).optional(),
    assigned_to: z.string().max(200).optional().describe("A user name, or team:<slug>"),
  }),
  run: async ({ issue_id, status, assigned_to }, call) =>
    (
      await request(call, {
        method: "PUT",
        path: ["issues", issue_id],
        body: { status, assignedTo: assigned_to },
      })
    ).body,
});

export const sentry: Vendor = {
  id: "sentry",
  name: "Sentry",
  baseUrl: "https://sentry.io/api/0",
  prove: (call) =>
    unlessForbidden(async () => {
      const { body } = await request(call, { path: ["organizations"], query: { per_page: 1 } });
      z.array(z.unknown()).parse(body);
    }),
  actions: [listIssues, getIssue, listIssueEvents, getEvent, updateIssue],
};
