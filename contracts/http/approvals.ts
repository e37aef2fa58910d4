/** Deciding on actions from elsewhere than the dashboard: by a link, and from Slack. */
import { z } from "zod";
import { invocationParams } from "./common.ts";
import { defineRoute } from "./route.ts";

export const issueApprovalLinks = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/actions/invocations/:invocationId/links",
  audience: "approver",
  summary: "Links by which the caller decides on a waiting action without signing in, once",
  params: invocationParams,
  responses: {
    201: z.object({
      approve: z.url(),
      deny: z.url(),
      /** When the request for approval expires, and the links with it. */
      expiresAt: z.iso.datetime(),
    }),
  },
});

const link = {
  path: "/v1/approval-link",
  audience: "public",
  query: z.object({ token: z.string().min(1).max(2000) }),
  /** Pages, also for what cannot be decided (any more). */
  responses: {
    200: z.string(),
    401: z.string(),
    403: z.string(),
    404: z.string(),
    409: z.string(),
    410: z.string(),
  },
} as const;

export const showApprovalLink = defineRoute({
  method: "GET",
  summary: "A page that asks whether to do what the link says; it decides nothing itself",
  ...link,
});

export const useApprovalLink = defineRoute({
  method: "POST",
  summary: "Do what the link says, in the name of whom it was made for",
  ...link,
});

export const slackSignatureHeader = "x-slack-signature";
export const slackTimestampHeader = "x-slack-request-timestamp";

export const slackInteraction = defineRoute({
  method: "POST",
  path: "/v1/slack/interactions",
  audience: "public",
  summary: "What people press in Slack, as Slack sends and signs it",
  headers: z.object({
    [slackSignatureHeader]: z.string().max(200).optional(),
    [slackTimestampHeader]: z.string().max(20).optional(),
  }),
  responses: { 200: z.object({}) },
});
