import { z } from "zod";
import { liveAccessSchema } from "../live/client-frames.ts";
import { seqText } from "../live/sequence.ts";
import { repositorySchema, workspaceRepositoriesSchema } from "../repository.ts";
import { excludedConnectionSchema, namedConnectionsSchema } from "../session/connections.ts";
import { maxAutoDeleteDays, maxSystemPromptLength, maxTitleLength } from "../session/limits.ts";
import { sessionTelemetrySchema } from "../session/telemetry.ts";
import { sessionViewSchema } from "../session/view.ts";
import { messageViewSchema } from "../transcript/view.ts";
import { idSchema } from "../ids.ts";
import {
  acceptedSchema,
  afterQuery,
  idempotencyHeaders,
  pageQuery,
  sessionParams,
} from "./common.ts";
import { defineRoute } from "./route.ts";

export const createSession = defineRoute({
  method: "POST",
  path: "/v1/sessions",
  audience: "user",
  summary: "Open a session; with an Idempotency-Key, the same session however often it is sent",
  headers: idempotencyHeaders,
  body: z
    .object({
      /** By default the prompt's first line. */
      title: z.string().trim().min(1).max(maxTitleLength).optional(),
      /** Sessions of automations are opened by their runs. */
      kind: z.enum(["coding", "setup"]).optional(),
      repository: repositorySchema.nullable().default(null),
      /** Several, each in a folder of its own; in place of `repository`. */
      repositories: workspaceRepositoriesSchema.optional(),
      /** What the workspace is made of, in place of repositories; a setup session needs one. */
      configurationId: idSchema("configuration").optional(),
      /** A session of the organisation whose work this one is a part of. */
      parentId: idSchema("session").optional(),
      /** The only integrations and connectors that it may use; by default all of the organisation's. */
      connections: namedConnectionsSchema.optional(),
      /** `deferred`: the sandbox waits for the first prompt or watcher. */
      provisioning: z.enum(["immediate", "deferred"]).optional(),
      /** By any of its names in the model registry. */
      model: z.string().min(1).max(100).optional(),
      /** In place of the kind's own prompt; what the kind demands is told to the agent all the same. */
      systemPrompt: z.string().min(1).max(maxSystemPromptLength).optional(),
      prompt: z.string().min(1).optional(),
    })
    .refine(({ repository, repositories }) => repository === null || repositories === undefined, {
      path: ["repositories"],
      message: "name either one repository or several",
    })
    .refine(
      ({ repository, repositories, configurationId }) =>
        configurationId === undefined || (repository === null && repositories === undefined),
      { path: ["configurationId"], message: "name either repositories or a configuration" },
    ),
  responses: {
    201: acceptedSchema.extend({
      sessionId: idSchema("session"),
      /** Those of the named `connections` that cannot be used; the session has been created without them. */
      excludedConnections: z.array(excludedConnectionSchema),
    }),
  },
});

export const listSessions = defineRoute({
  method: "GET",
  path: "/v1/sessions",
  audience: "user",
  summary: "The organisation's sessions, newest first",
  query: z.object({ ...afterQuery, ...pageQuery }),
  reads: ["sessions"],
  responses: {
    200: z.object({ sessions: z.array(sessionViewSchema), next: z.string().nullable() }),
  },
});

export const getSession = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId",
  audience: "user_or_sandbox",
  summary: "One session",
  params: sessionParams,
  query: z.object(afterQuery),
  reads: ["sessions"],
  responses: { 200: sessionViewSchema },
});

export const listMessages = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/messages",
  audience: "user",
  summary: "The session's transcript, oldest first",
  params: sessionParams,
  query: z.object(afterQuery),
  reads: ["sessions", "messages"],
  responses: { 200: z.object({ messages: z.array(messageViewSchema) }) },
});

export const getSessionTelemetry = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/telemetry",
  audience: "user",
  summary:
    "What the session has come to: messages, tool calls, time, pull requests, tokens and cost",
  params: sessionParams,
  query: z.object(afterQuery),
  reads: ["sessions", "messages", "activity"],
  responses: { 200: sessionTelemetrySchema },
});

export const promptSession = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/prompts",
  audience: "user",
  summary: "Ask the agent something; it is answered after what was asked before",
  params: sessionParams,
  headers: idempotencyHeaders,
  body: z.object({ text: z.string().min(1) }),
  responses: { 202: acceptedSchema.extend({ promptId: idSchema("prompt") }) },
});

export const cancelSession = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/cancel",
  audience: "user",
  summary: "Stop the answer that is being given, and drop the prompts that wait",
  params: sessionParams,
  responses: { 202: acceptedSchema },
});

export const pauseSession = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/pause",
  audience: "user",
  summary: "Put the sandbox away and keep its files",
  params: sessionParams,
  responses: { 202: acceptedSchema },
});

export const resumeSession = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/resume",
  audience: "user",
  summary: "Bring a paused session back",
  params: sessionParams,
  responses: { 202: acceptedSchema },
});

export const renameSession = defineRoute({
  method: "PATCH",
  path: "/v1/sessions/:sessionId",
  audience: "user",
  summary: "Give the session another title",
  params: sessionParams,
  body: z.object({ title: z.string().trim().min(1).max(maxTitleLength) }),
  responses: { 202: acceptedSchema },
});

export const deleteSession = defineRoute({
  method: "DELETE",
  path: "/v1/sessions/:sessionId",
  audience: "user",
  summary: "Stop the session and remove its sandbox; its history stays, unless it is to be erased",
  params: sessionParams,
  query: z.object({
    /** What was written in the session is erased, and its snapshots are removed: for its own people. */
    erase: z.enum(["true", "false"]).default("false"),
  }),
  responses: { 202: acceptedSchema },
});

export const setAutoDelete = defineRoute({
  method: "PUT",
  path: "/v1/sessions/:sessionId/auto-delete",
  audience: "user",
  summary: "Delete and erase the session after so many days without use; null for never",
  params: sessionParams,
  body: z.object({ days: z.int().min(1).max(maxAutoDeleteDays).nullable() }),
  responses: { 202: acceptedSchema },
});

export const openLiveChannel = defineRoute({
  method: "POST",
  path: "/v1/sessions/:sessionId/live",
  audience: "user",
  summary: "Where to watch the session, and a ticket that opens it within a minute",
  params: sessionParams,
  query: z.object({
    /** `watch` for a connection that may change nothing, whoever gets hold of it. */
    access: liveAccessSchema.default("take_part"),
  }),
  responses: {
    200: z.object({
      /** WebSocket URL with the ticket in it; add `&lastSeq=` to go on where a connection broke. */
      url: z.string(),
      expiresAt: z.iso.datetime(),
    }),
  },
});

export const streamLive = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/live",
  audience: "user",
  summary: "The live channel as server-sent events, for those who cannot open WebSockets",
  params: sessionParams,
  headers: z.object({
    /** The `seq` of the frame that was seen last; browsers send it by themselves. */
    "last-event-id": seqText.optional(),
  }),
  streams: true,
  responses: { 200: z.unknown().describe("text/event-stream: each event is one frame, as JSON") },
});
