/**
 * What each vendor is sent and how its answers are read, against local servers. Slack and GitHub are spoken
 * to by their own clients, whose types the compiler checks; here it is the request as it arrives. Linear's
 * documents are the SDK's: they are parsed, and the variables compared with what each declares (the SDK
 * ships no schema to validate them by). Sentry and PostHog are checked against the routes of their
 * reference.
 */
import { Kind, parse } from "graphql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { validateParams } from "../actions/requests/params.ts";
import { github } from "./github/github.ts";
import { linear } from "./linear/linear.ts";
import { posthog } from "./posthog/posthog.ts";
import { sentry } from "./sentry/sentry.ts";
import { slack } from "./slack/slack.ts";
import { json } from "./testing/local-server.ts";
import { startVendorWorld, type VendorWorld } from "./testing/vendor-call.ts";
import { vendors } from "./vendors.ts";

let world: VendorWorld;
beforeEach(async () => {
  world = await startVendorWorld();
});
afterEach(() => world.close());

const asked = (index = 0) => {
  const one = world.server.asked[index];
  if (!one) throw new Error("Nothing was asked.");
  return one;
};

it("offers actions whose schemas can be checked, each under one name", () => {
  for (const { actions } of vendors) {
    const ids = actions.map(({ definition }) => definition.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { definition } of actions) {
      expect(() => validateParams(definition, { unknown: true })).toThrow(/parameters of/);
    }
  }
});

describe("Linear", () => {
  const teamId = "9cfb482a-81e3-4154-b5b9-2c805e70a02d";
  const requestSchema = z.object({
    query: z.string(),
    variables: z.record(z.string(), z.unknown()),
  });

  /** Fails for a document that is none, and for variables that it does not declare. */
  const operationOf = (body: string) => {
    const { query, variables } = requestSchema.parse(JSON.parse(body));
    const [operation] = parse(query).definitions.filter(
      (definition) => definition.kind === Kind.OPERATION_DEFINITION,
    );
    const declared = operation?.variableDefinitions?.map(({ variable }) => variable.name.value);
    for (const name of Object.keys(variables)) expect(declared).toContain(name);
    return { kind: operation?.operation, name: operation?.name?.value, variables };
  };

  it("is asked for a page of issues", async () => {
    world.server.answer((_, response) =>
      json(response, {
        data: {
          issues: {
            nodes: [
              {
                id: "1",
                identifier: "ENG-1",
                title: "Fix",
                team: { id: teamId },
                sharedAccess: { sharedWithUsers: [] },
                reactions: [],
              },
            ],
            pageInfo: { hasNextPage: true, endCursor: "next" },
          },
        },
      }),
    );
    const page = await world.run(linear, "list_issues", { teamId, first: 5 });
    expect(page).toMatchObject({ issues: [{ identifier: "ENG-1", teamId }], next: "next" });
    expect(asked()).toMatchObject({ method: "POST", path: "/graphql" });
    expect(asked().headers.authorization).toBe("Bearer a-token-of-tests");
    expect(operationOf(asked().body)).toMatchObject({
      kind: "query",
      variables: { first: 5, filter: { team: { id: { eq: teamId } } } },
    });
  });

  it("is told to create, to change and to comment", async () => {
    const payload = { success: true, issue: { id: "1" }, comment: { id: "2" } };
    world.server.answer((_, response) =>
      json(response, {
        data: { issueCreate: payload, issueUpdate: payload, commentCreate: payload },
      }),
    );
    const calls = [
      ["create_issue", { teamId, title: "New" }, { input: { teamId, title: "New" } }],
      ["update_issue", { issueId: "ENG-1", priority: 1 }, { id: "ENG-1", input: { priority: 1 } }],
      [
        "add_comment",
        { issueId: "ENG-1", body: "Hi" },
        { input: { issueId: "ENG-1", body: "Hi" } },
      ],
    ] as const;
    for (const [index, [action, params, variables]] of calls.entries()) {
      expect(await world.run(linear, action, params)).toMatchObject({ success: true });
      expect(operationOf(asked(index).body)).toMatchObject({ kind: "mutation", variables });
    }
  });

  it("refuses within an answer of status 200", async () => {
    world.server.answer((_, response) =>
      json(response, {
        data: null,
        errors: [{ message: "no", extensions: { code: "AUTHENTICATION_ERROR" } }],
      }),
    );
    await expect(world.run(linear, "get_issue", { issueId: "ENG-1" })).rejects.toMatchObject({
      code: "integration_unauthorized",
    });
  });
});

describe("Sentry", () => {
  it("is asked for a page, and names the next one in a header", async () => {
    world.server.answer((_, response) =>
      json(response, [{ id: "1" }], 200, {
        link: '<https://x>; rel="previous"; results="false"; cursor="0:0:1", <https://x>; rel="next"; results="true"; cursor="0:100:0"',
      }),
    );
    const params = { organization_slug: "acme", project_slug: "web", query: "is:unresolved" };
    expect(await world.run(sentry, "list_issues", params)).toEqual({
      items: [{ id: "1" }],
      next: "0:100:0",
    });
    expect(asked().path).toBe("/projects/acme/web/issues/?query=is%3Aunresolved");
    expect(asked().headers.authorization).toBe("Bearer a-token-of-tests");
  });

  it("is told what to change, and nothing else", async () => {
    world.server.answer((_, response) => json(response, {}));
    await world.run(sentry, "update_issue", { issue_id: "7", assigned_to: "team:core" });
    expect(asked()).toMatchObject({ method: "PUT", path: "/issues/7/" });
    expect(JSON.parse(asked().body)).toEqual({ assignedTo: "team:core" });
  });
});

describe("Slack", () => {
  it("is told what to post, once, and says where it stands", async () => {
    world.server.answer((_, response) => json(response, { ok: true, ts: "1.2" }));
    const params = { channel: "C012AB3CD", text: "Hello & <!here>", thread_ts: "1.1" };
    expect(await world.run(slack, "send_message", params)).toEqual({
      channel: "C012AB3CD",
      ts: "1.2",
    });
    expect(asked().path).toBe("/chat.postMessage");
    expect(Object.fromEntries(new URLSearchParams(asked().body))).toMatchObject(params);
    expect(asked().headers.authorization).toBe("Bearer a-token-of-tests");
  });

  it("is asked for pages", async () => {
    world.server.answer((_, response) =>
      json(response, {
        ok: true,
        channels: [{ id: "C1", name: "general", topic: { value: "All" }, is_member: true }],
        messages: [{ ts: "1.1", user: "U1", text: "Hi", blocks: [] }],
        response_metadata: { next_cursor: "more" },
      }),
    );
    expect(await world.run(slack, "list_channels", {})).toEqual({
      channels: [{ id: "C1", name: "general", topic: "All", member: true }],
      next: "more",
    });
    const thread = { channel: "C012AB3CD", thread_ts: "1.1", cursor: "more" };
    expect(await world.run(slack, "read_thread", thread)).toMatchObject({
      messages: [{ ts: "1.1", user: "U1", text: "Hi" }],
    });
    expect(Object.fromEntries(new URLSearchParams(asked(1).body))).toMatchObject({
      cursor: "more",
    });
  });

  it.each([
    ["channel_not_found", "action_failed"],
    ["token_revoked", "integration_unauthorized"],
    ["missing_scope", "integration_forbidden"],
  ])("refuses with %s and status 200", async (error, code) => {
    world.server.answer((_, response) => json(response, { ok: false, error }));
    const sent = world.run(slack, "send_message", { channel: "C012AB3CD", text: "Hello" });
    await expect(sent).rejects.toMatchObject({ code });
    expect(world.server.asked).toHaveLength(1);
  });
});

describe("GitHub", () => {
  const repository = { owner: "acme", repo: "web" };

  it("is asked for issues, without the pull requests among them", async () => {
    world.server.answer((_, response) =>
      json(response, [
        { number: 1, title: "Bug", state: "open", user: { login: "ann" }, html_url: "u" },
        { number: 2, pull_request: {} },
      ]),
    );
    expect(await world.run(github, "list_issues", repository)).toEqual([
      { number: 1, title: "Bug", state: "open", author: "ann", url: "u" },
    ]);
    const { pathname, searchParams } = new URL(asked().path, "http://github.test");
    expect(pathname).toBe("/repos/acme/web/issues");
    expect(Object.fromEntries(searchParams)).toEqual({ state: "open", per_page: "30", page: "1" });
    expect(asked().headers.authorization).toBe("token a-token-of-tests");
  });

  it("is told what to write", async () => {
    world.server.answer(({ method }, response) =>
      json(
        response,
        { number: 3, html_url: "u", commit: { sha: "c" }, content: { sha: "f" } },
        method === "POST" ? 201 : 200,
      ),
    );
    await world.run(github, "create_issue", { ...repository, title: "Bug" });
    expect(asked()).toMatchObject({ method: "POST", path: "/repos/acme/web/issues" });
    const file = { ...repository, path: "docs/a b.md", branch: "main", message: "m", text: "é" };
    expect(await world.run(github, "put_file", file)).toEqual({ commit: "c", sha: "f" });
    expect(asked(1)).toMatchObject({
      method: "PUT",
      path: "/repos/acme/web/contents/docs%2Fa%20b.md",
    });
    expect(JSON.parse(asked(1).body)).toEqual({ branch: "main", message: "m", content: "w6k=" });
  });

  it("keeps its refusals' meaning through its client", async () => {
    world.server.answer((_, response) => json(response, { message: "Not Found" }, 404));
    await expect(
      world.run(github, "get_pull_request", { ...repository, number: 4 }),
    ).rejects.toMatchObject({ code: "action_failed", fields: { status: 404 } });
  });

  it("is not led out of the repository by a path", async () => {
    for (const path of ["../../../user", "a/../b", ".."]) {
      await expect(world.run(github, "get_file", { ...repository, path })).rejects.toThrow();
    }
    expect(world.server.asked).toEqual([]);
  });
});

describe("PostHog", () => {
  it("is asked a query and told of a moment", async () => {
    world.server.answer((_, response) => json(response, { results: [[1]] }));
    const queried = await world.run(posthog, "query", { project_id: "5", query: "select 1" });
    expect(queried).toEqual({ results: [[1]] });
    expect(asked()).toMatchObject({ method: "POST", path: "/api/projects/5/query/" });
    expect(JSON.parse(asked().body)).toEqual({ query: { kind: "HogQLQuery", query: "select 1" } });
    const moment = { project_id: "5", content: "Deployed", date_marker: "2026-01-02T03:04:05Z" };
    await world.run(posthog, "create_annotation", moment);
    expect(asked(1)).toMatchObject({ method: "POST", path: "/api/projects/5/annotations/" });
  });
});
