import { z } from "zod";
import { availableIntegrationSchema } from "../actions/definition.ts";
import { idSchema } from "../ids.ts";
import { invocationStatusSchema } from "../invocation/status.ts";
import { invocationViewSchema } from "../invocation/view.ts";
import { actionModeSchema } from "../policy/events.ts";
import {
  acceptedSchema,
  afterQuery,
  invocationParams,
  pageQuery,
  sessionParams,
} from "./common.ts";
import { defineRoute } from "./route.ts";

const name = z.string().min(1).max(100);

export const listAvailableActions = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/actions/available",
  audience: "user_or_sandbox",
  summary: "The integrations that the session may use, with their actions and modes",
  params: sessionParams,
  responses: { 200: z.object({ integrations: z.array(availableIntegrationSchema) }) },
});

export const listOrganizationActions = defineRoute({
  method: "GET",
  path: "/v1/actions/available",
  audience: "user",
  summary:
    "The integrations of the organisation, with their actions and the modes in a session that has no rules of its own",
  responses: { 200: z.object({ integrations: z.array(availableIntegrationSchema) }) },
});

export const getActionGuide = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/actions/guide/:integration",
  audience: "user_or_sandbox",
  summary: "How to use an integration, in Markdown, for the agent to read",
  params: sessionParams.extend({ integration: name }),
  responses: { 200: z.object({ guide: z.string() }) },
});

const invokedSchema = z.object({
  invocation: z.object({ id: idSchema("invocation"), status: invocationStatusSchema }),
  position: acceptedSchema.shape.position,
  /** The action's result, when it ran at once. */
  result: z.unknown().optional(),
  message: z.string(),
});

export const invokeAction = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/actions/invoke",
  audience: "sandbox",
  summary: "Ask for an action: 200 it ran, 202 it waits for a person, 403 policy refuses it",
  params: sessionParams,
  body: z.object({
    integration: name,
    action: name,
    params: z.record(z.string(), z.unknown()).default({}),
    /** The same key is the same invocation, however often it is sent. */
    idempotencyKey: z.string().min(1).max(200).optional(),
  }),
  responses: { 200: invokedSchema, 202: invokedSchema },
});

export const listInvocations = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/actions/invocations",
  audience: "user_or_sandbox",
  summary: "The session's invocations, newest first",
  params: sessionParams,
  query: z.object(afterQuery),
  reads: ["invocations"],
  responses: { 200: z.object({ invocations: z.array(invocationViewSchema) }) },
});

export const getInvocation = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/actions/invocations/:invocationId",
  audience: "user_or_sandbox",
  summary: "One invocation",
  params: invocationParams,
  query: z.object(afterQuery),
  reads: ["invocations"],
  responses: { 200: invocationViewSchema },
});

export const getFullResult = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/actions/invocations/:invocationId/full-result",
  audience: "approver",
  summary: "An invocation's whole result, while it is kept; each reading is recorded",
  params: invocationParams,
  responses: {
    200: z.object({ result: z.unknown(), bytes: z.int().positive(), until: z.iso.datetime() }),
  },
});

export const approveInvocation = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/actions/invocations/:invocationId/approve",
  audience: "approver",
  summary:
    "Let a waiting action run, with other parameters if need be; `always` lets it run unasked from then on",
  params: invocationParams,
  body: z
    .object({
      scope: z.enum(["once", "always"]).default("once"),
      /** In the place of the parameters that were asked for; all of them. */
      params: z.record(z.string(), z.unknown()).optional(),
    })
    .default({ scope: "once" }),
  responses: { 202: acceptedSchema },
});

export const denyInvocation = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/actions/invocations/:invocationId/deny",
  audience: "approver",
  summary: "Refuse a waiting action",
  params: invocationParams,
  body: z.object({ reason: z.string().max(500).default("") }).default({ reason: "" }),
  responses: { 202: acceptedSchema },
});

export const listOrganizationInvocations = defineRoute({
  method: "GET",
  path: "/v1/invocations",
  audience: "user",
  summary: "The organisation's invocations, newest first: its approval inbox",
  query: z.object({ ...afterQuery, ...pageQuery, status: invocationStatusSchema.optional() }),
  reads: ["invocations"],
  responses: {
    200: z.object({ invocations: z.array(invocationViewSchema), next: z.string().nullable() }),
  },
});

export const setActionMode = defineRoute({
  method: "PUT",
  path: "/v1/policy/actions/:integration/:action",
  audience: "approver",
  summary: "Set what happens to an action throughout the organisation",
  params: z.object({ integration: name, action: name }),
  body: z.object({ mode: actionModeSchema }),
  responses: { 202: acceptedSchema },
});

export const clearActionMode = defineRoute({
  method: "DELETE",
  path: "/v1/policy/actions/:integration/:action",
  audience: "approver",
  summary: "Take the organisation's mode for an action back: what happens follows from its risk",
  params: setActionMode.params,
  responses: { 202: acceptedSchema },
});
