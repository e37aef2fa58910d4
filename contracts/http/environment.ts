/** The environment variables of a session: what its agent has asked for, and what it was given. */
import { z } from "zod";
import { envVariableNameSchema, envVariableRequestSchema } from "../session/env-request.ts";
import { maxEnvValueLength } from "../session/limits.ts";
import { acceptedSchema, sessionParams } from "./common.ts";
import { defineRoute } from "./route.ts";

export const getEnvironment = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/environment",
  audience: "user",
  summary: "Which variables the agent waits for, and which ones have values; never a value",
  params: sessionParams,
  responses: {
    200: z.object({
      /** Those that have a value. */
      names: z.array(z.string()),
      /** Unanswered, the newest last. */
      requests: z.array(
        z.object({ requestId: z.string(), keys: z.array(envVariableRequestSchema) }),
      ),
    }),
  },
});

export const provideEnvVariables = defineRoute({
  method: "PATCH",
  path: "/v1/sessions/:sessionId/environment",
  audience: "user",
  summary:
    "Give variables their values; the session's creator, an owner or an admin. They are kept encrypted and reach the sandbox's own file",
  params: sessionParams,
  body: z.object({
    values: z
      .record(envVariableNameSchema, z.string().max(maxEnvValueLength))
      .refine((values) => Object.keys(values).length > 0, "Name at least one variable."),
  }),
  responses: { 202: acceptedSchema },
});
