import { z } from "zod";
import {
  maxConfigurationNameLength,
  configurationSettingsSchema,
} from "../configuration/settings.ts";
import { configurationViewSchema } from "../configuration/view.ts";
import { idSchema } from "../ids.ts";
import { acceptedSchema, afterQuery, idempotencyHeaders, pageQuery } from "./common.ts";
import { defineRoute } from "./route.ts";

const configurationParams = z.object({ configurationId: idSchema("configuration") });
const name = z.string().trim().min(1).max(maxConfigurationNameLength);
const settings = configurationSettingsSchema.shape;

export const createConfiguration = defineRoute({
  method: "POST",
  path: "/v1/configurations",
  audience: "approver",
  summary: "Create a configuration; with an Idempotency-Key, the same one however often it is sent",
  headers: idempotencyHeaders,
  body: z.object({
    name,
    repositories: settings.repositories.default([]),
    serviceCommands: settings.serviceCommands.default([]),
    envFiles: settings.envFiles.default(null),
    previewPorts: settings.previewPorts.default([]),
  }),
  responses: { 201: acceptedSchema.extend({ configurationId: idSchema("configuration") }) },
});

export const listConfigurations = defineRoute({
  method: "GET",
  path: "/v1/configurations",
  audience: "user",
  summary: "The organisation's configurations, newest first",
  query: z.object({
    ...afterQuery,
    ...pageQuery,
    /** Whether those that were archived are listed as well. */
    archived: z.enum(["true", "false"]).default("false"),
  }),
  reads: ["configurations"],
  responses: {
    200: z.object({
      configurations: z.array(configurationViewSchema),
      next: z.string().nullable(),
    }),
  },
});

export const getConfiguration = defineRoute({
  method: "GET",
  path: "/v1/configurations/:configurationId",
  audience: "user",
  summary: "One configuration",
  params: configurationParams,
  query: z.object(afterQuery),
  reads: ["configurations"],
  responses: { 200: configurationViewSchema },
});

export const changeConfiguration = defineRoute({
  method: "PATCH",
  path: "/v1/configurations/:configurationId",
  audience: "approver",
  summary:
    "Change a configuration; other repositories void its snapshot. Sessions that exist keep what they have",
  params: configurationParams,
  body: z
    .object({ name, ...settings })
    .partial()
    .refine((changes) => Object.keys(changes).length > 0, { message: "name what is to change" }),
  responses: { 202: acceptedSchema },
});

export const archiveConfiguration = defineRoute({
  method: "DELETE",
  path: "/v1/configurations/:configurationId",
  audience: "approver",
  summary: "Archive a configuration: no more sessions are made from it, and those that exist go on",
  params: configurationParams,
  responses: { 202: acceptedSchema },
});
