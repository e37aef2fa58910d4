/**
 * What each action of each vendor asks for, as the vendor's reference has it: the method and path of every
 * request, and the fields of those that write. The references: docs.github.com/rest, docs.sentry.io/api,
 * posthog.com/docs/api, docs.slack.dev/reference/methods; Linear has one path for everything.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { VendorId } from "#contracts/integration/events";
import { json } from "./testing/local-server.ts";
import { startVendorWorld, type VendorWorld } from "./testing/vendor-call.ts";
import { vendorOf, vendors } from "./vendors.ts";

let world: VendorWorld;
beforeEach(async () => {
  world = await startVendorWorld();
});
afterEach(() => world.close());

interface Call {
  readonly vendor: VendorId;
  readonly action: string;
  readonly params: Record<string, unknown>;
  /** What is asked, in order: `GET /path`, without the query. */
  readonly asks: readonly string[];
  /** Of the last request, where it has one; forms and JSON alike. */
  readonly fields?: Record<string, unknown>;
  /** What the vendor answers, by path where there are several. */
  readonly answers: Readonly<Record<string, unknown>> | unknown[];
}

const github = { owner: "acme", repo: "web" };
const issue = { organization_slug: "acme", project_slug: "web" };
const uuid = "9cfb482a-81e3-4154-b5b9-2c805e70a02d";
const linearPath = "POST /graphql";
const linearPayload = { success: true, issue: { id: uuid }, comment: { id: uuid } };
const eventId = "0123456789abcdef0123456789abcdef";

const calls: readonly Call[] = [
  {
    ...{ vendor: "github", action: "list_issues", params: github, answers: [] },
    asks: ["GET /repos/acme/web/issues"],
  },
  {
    ...{ vendor: "github", action: "get_issue", params: { ...github, number: 7 } },
    asks: ["GET /repos/acme/web/issues/7", "GET /repos/acme/web/issues/7/comments"],
    answers: { "/repos/acme/web/issues/7": {}, "/repos/acme/web/issues/7/comments": [] },
  },
  {
    ...{ vendor: "github", action: "create_issue", params: { ...github, title: "Bug" } },
    ...{ asks: ["POST /repos/acme/web/issues"], answers: {} },
    fields: { title: "Bug", body: "", labels: [] },
  },
  {
    ...{ vendor: "github", action: "add_comment", answers: {} },
    params: { ...github, number: 7, body: "Hi" },
    ...{ asks: ["POST /repos/acme/web/issues/7/comments"], fields: { body: "Hi" } },
  },
  {
    ...{ vendor: "github", action: "list_pull_requests", params: github, answers: [] },
    asks: ["GET /repos/acme/web/pulls"],
  },
  {
    ...{ vendor: "github", action: "get_pull_request", params: { ...github, number: 7 } },
    asks: ["GET /repos/acme/web/pulls/7", "GET /repos/acme/web/pulls/7/files"],
    answers: {
      "/repos/acme/web/pulls/7": { head: { ref: "fix" }, base: { ref: "main" } },
      "/repos/acme/web/pulls/7/files": [],
    },
  },
  {
    ...{ vendor: "github", action: "create_pull_request", answers: {} },
    params: { ...github, title: "Fix", head: "fix", base: "main" },
    asks: ["POST /repos/acme/web/pulls"],
    fields: { title: "Fix", head: "fix", base: "main", body: "", draft: false },
  },
  {
    ...{ vendor: "github", action: "list_checks", params: { ...github, ref: "main" } },
    asks: ["GET /repos/acme/web/commits/main/check-runs"],
    answers: { check_runs: [] },
  },
  {
    ...{ vendor: "github", action: "get_file", params: { ...github, path: "a.md" } },
    asks: ["GET /repos/acme/web/contents/a.md"],
    answers: { type: "file", content: "" },
  },
  {
    ...{ vendor: "github", action: "put_file" },
    params: { ...github, path: "a.md", branch: "main", message: "m", text: "é" },
    asks: ["PUT /repos/acme/web/contents/a.md"],
    ...{ answers: { commit: {} }, fields: { branch: "main", message: "m", content: "w6k=" } },
  },
  {
    ...{ vendor: "sentry", action: "list_issues", params: issue, answers: [] },
    asks: ["GET /projects/acme/web/issues/"],
  },
  {
    ...{ vendor: "sentry", action: "get_issue", params: { issue_id: "7" }, answers: {} },
    asks: ["GET /issues/7/"],
  },
  {
    ...{ vendor: "sentry", action: "list_issue_events", params: { issue_id: "7" }, answers: [] },
    asks: ["GET /issues/7/events/"],
  },
  {
    ...{ vendor: "sentry", action: "get_event", answers: {} },
    params: { issue_id: "7", event_id: eventId },
    asks: [`GET /issues/7/events/${eventId}/`],
  },
  {
    ...{ vendor: "sentry", action: "update_issue", answers: {} },
    params: { issue_id: "7", status: "resolved" },
    ...{ asks: ["PUT /issues/7/"], fields: { status: "resolved" } },
  },
  {
    ...{ vendor: "posthog", action: "query", params: { project_id: "5", query: "select 1" } },
    ...{ asks: ["POST /api/projects/5/query/"], answers: {} },
    fields: { query: { kind: "HogQLQuery", query: "select 1" } },
  },
  {
    ...{ vendor: "posthog", action: "list_annotations", params: { project_id: "5" } },
    ...{ asks: ["GET /api/projects/5/annotations/"], answers: {} },
  },
  {
    ...{ vendor: "posthog", action: "create_annotation", answers: {} },
    params: { project_id: "5", content: "Deployed", date_marker: "2026-01-02T03:04:05Z" },
    asks: ["POST /api/projects/5/annotations/"],
    fields: { content: "Deployed", date_marker: "2026-01-02T03:04:05Z", scope: "project" },
  },
  {
    ...{ vendor: "slack", action: "send_message", answers: { ok: true } },
    params: { channel: "C012AB3CD", text: "Hi" },
    asks: ["POST /chat.postMessage"],
    fields: { channel: "C012AB3CD", text: "Hi", parse: "none" },
  },
  {
    ...{ vendor: "slack", action: "list_channels", params: {}, answers: { ok: true } },
    asks: ["POST /conversations.list"],
    fields: { limit: "100", exclude_archived: "true", types: "public_channel,private_channel" },
  },
  {
    ...{ vendor: "slack", action: "read_thread", answers: { ok: true } },
    params: { channel: "C012AB3CD", thread_ts: "1.1" },
    asks: ["POST /conversations.replies"],
    fields: { channel: "C012AB3CD", ts: "1.1", limit: "50" },
  },
  {
    ...{ vendor: "linear", action: "list_issues", params: {}, asks: [linearPath] },
    answers: { data: { issues: { nodes: [], pageInfo: { hasNextPage: false } } } },
  },
  {
    ...{ vendor: "linear", action: "get_issue", params: { issueId: "ENG-1" }, asks: [linearPath] },
    answers: {
      data: { issue: { id: uuid, sharedAccess: { sharedWithUsers: [] }, reactions: [] } },
    },
  },
  {
    ...{ vendor: "linear", action: "create_issue", params: { teamId: uuid, title: "New" } },
    ...{ asks: [linearPath], answers: { data: { issueCreate: linearPayload } } },
  },
  {
    ...{ vendor: "linear", action: "update_issue", params: { issueId: "ENG-1", title: "New" } },
    ...{ asks: [linearPath], answers: { data: { issueUpdate: linearPayload } } },
  },
  {
    ...{ vendor: "linear", action: "add_comment", params: { issueId: "ENG-1", body: "Hi" } },
    ...{ asks: [linearPath], answers: { data: { commentCreate: linearPayload } } },
  },
];

it("every action of every vendor is below", () => {
  const all = vendors.flatMap(({ id, actions }) =>
    actions.map(({ definition }) => `${id} ${definition.id}`),
  );
  expect(calls.map(({ vendor, action }) => `${vendor} ${action}`).sort()).toEqual(all.sort());
});

it.each(calls)("$vendor $action", async ({ vendor, action, params, asks, fields, answers }) => {
  world.server.answer(({ path }, response) => {
    const { pathname } = new URL(path, "http://vendor.test");
    json(response, Array.isArray(answers) ? answers : (answers[pathname] ?? answers));
  });
  await world.run(vendorOf(vendor), action, params);
  const { asked } = world.server;
  expect(
    asked.map(({ method, path }) => `${method} ${new URL(path, "http://vendor.test").pathname}`),
  ).toEqual(asks);
  if (fields) expect(fieldsOf(asked.at(-1))).toEqual(fields);
});

const fieldsOf = (asked: VendorWorld["server"]["asked"][number] | undefined): unknown => {
  const { headers, body } = asked ?? { headers: {}, body: "" };
  return headers["content-type"]?.includes("json") === true
    ? JSON.parse(body)
    : Object.fromEntries(new URLSearchParams(body));
};
