/** PostHog's queries and annotations, over its web API (https://posthog.com/docs/api). */
import { z } from "zod";
import { requestJson } from "../vendor/rest.ts";
import { unlessForbidden } from "../vendor/prove-credentials.ts";
import { defineAction, type Vendor } from "../vendor/vendor.ts";

const project = z
  .string()
  .regex(/^\d{1,12}$/)
  .describe("The project's number");

const query = defineAction({
  id: "query",
  description: "Runs a HogQL query (SQL over events and persons) and answers its rows.",
  risk: "read",
  params: z.object({ project_id: project, query: z.string().min(1).max(20_000) }),
  run: async ({ project_id, query }, call) => {
    const { body } = await requestJson("PostHog", call, {
      method: "POST",
      path: ["api", "projects", project_id, "query"],
      body: { query: { kind: "HogQLQuery", query } },
    });
    return body;
  },
});

const listAnnotations = defineAction({
  id: "list_annotations",
  description: "Lists the annotations of a project, newest first.",
  risk: "read",
  params: z.object({
    project_id: project,
    limit: z.int().min(1).max(100).default(50),
    offset: z.int().min(0).default(0),
  }),
  run: async ({ project_id, limit, offset }, call) => {
    const { body } = await requestJson("PostHog", call, {
      path: ["api", "projects", project_id, "annotations"],
      query: { limit, offset },
    });
    return body;
  },
});

const createAnnotation = defineAction({
  id: "create_annotation",
  description: "Marks a moment on the project's charts, for example a deployment.",
  risk: "write",
  params: z.object({
    project_id: project,
    content: z.string().min(1).max(400),
    date_marker: z.iso.datetime({ offset: true }).describe("The moment, in ISO 8601"),
  }),
  run: async ({ project_id, content, date_marker }, call) => {
    const { body } = await requestJson("PostHog", call, {
      method: "POST",
      path: ["api", "projects", project_id, "annotations"],
      body: { content, date_marker, scope: "project" },
    });
    return body;
  },
});

export const posthog: Vendor = {
  id: "posthog",
  name: "PostHog",
  baseUrl: "https://us.posthog.com",
  prove: (call) =>
    unlessForbidden(async () => {
      const projects = { path: ["api", "projects"], query: { limit: 1 } };
      const { body } = await requestJson("PostHog", call, projects);
      z.object({ results: z.array(z.unknown()) }).parse(body);
    }),
  actions: [query, listAnnotations, createAnnotation],
};
