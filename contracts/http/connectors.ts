import { z } from "zod";
import { actionDefinitionSchema, leftOutActionSchema } from "../actions/definition.ts";
import { connectorIdSchema, connectorTargetSchema } from "../connector/events.ts";
import { acceptedSchema } from "./common.ts";
import { defineRoute } from "./route.ts";

const params = z.object({ connector: connectorIdSchema });
const name = z.string().trim().min(1).max(100);
/** Without characters that a header or a connection's first message could not hold. */
const credential = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\x21-\x7e]+$/);

/** An address that is shown and logged: nothing in it opens anything. */
const openUrl = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine((text) => isOpen(new URL(text)), {
    message: "must hold no credentials, query or fragment",
  });
const isOpen = ({ username, password, search, hash }: URL): boolean =>
  [username, password, search, hash].every((part) => part === "");

/** Those that belong to the transport. */
const ownHeaders =
  /^(host|connection|content-.*|transfer-encoding|upgrade|te|trailer|accept.*|mcp-.*|last-event-id|cookie)$/i;
const headers = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9-]{1,100}$/)
      .refine((header) => !ownHeaders.test(header), { message: "belongs to the transport" }),
    z
      .string()
      .max(4096)
      .regex(/^[\x20-\x7e]+$/),
  )
  .refine((given) => Object.keys(given).length <= 20, { message: "must be 20 at most" });

const mcpAuth = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("none") }),
  /** `Authorization: Bearer …` */
  z.object({ kind: z.literal("bearer"), token: credential }),
  z.object({ kind: z.literal("headers"), headers }),
  /** The client is registered by itself, unless one was registered by hand. */
  z.object({
    kind: z.literal("oauth"),
    clientId: credential.optional(),
    clientSecret: credential.optional(),
    scope: z.string().max(1000).optional(),
  }),
]);

const postgres = {
  host: z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/),
  port: z.int().min(1).max(65_535),
  database: z.string().min(1).max(63),
  user: z.string().min(1).max(63),
  password: z.string().min(1).max(4096),
  tls: z.enum(["verify", "encrypt", "off"]),
};

/** A connector as it is given: with its credentials. */
export const connectorSettingsSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("mcp"), url: openUrl, auth: mcpAuth.default({ kind: "none" }) }),
  z.object({
    kind: z.literal("postgres"),
    ...postgres,
    port: postgres.port.default(5432),
    tls: postgres.tls.default("verify"),
  }),
]);
export type ConnectorSettings = z.infer<typeof connectorSettingsSchema>;

/** What of a connector's settings is to be different. What is left out stays. */
const settingsChangeSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("mcp"),
    url: openUrl.optional(),
    auth: mcpAuth.optional(),
  }),
  z.strictObject({ kind: z.literal("postgres"), ...z.object(postgres).partial().shape }),
]);
export type ConnectorSettingsChange = z.infer<typeof settingsChangeSchema>;

const connectorViewSchema = z.object({
  connector: connectorIdSchema,
  name: z.string(),
  target: connectorTargetSchema,
  /** False for one that waits for a person to authorize it. */
  authorized: z.boolean(),
});
export type ConnectorView = z.infer<typeof connectorViewSchema>;

export const listConnectors = defineRoute({
  method: "GET",
  path: "/v1/connectors",
  audience: "user",
  summary: "The organisation's own MCP servers and databases; never their credentials",
  responses: { 200: z.object({ connectors: z.array(connectorViewSchema) }) },
});

export const createConnector = defineRoute({
  method: "POST",
  path: "/v1/connectors",
  audience: "approver",
  summary:
    "Try an MCP server or a database and add it: every session may then use its actions under policy",
  body: z.object({ connector: connectorIdSchema, name, settings: connectorSettingsSchema }),
  responses: { 202: acceptedSchema },
});

export const changeConnector = defineRoute({
  method: "PATCH",
  path: "/v1/connectors/:connector",
  audience: "approver",
  summary:
    "Change a connector's name, address or credentials, once the new ones were tried; agents and policies go by its id, which stays",
  params,
  body: z.strictObject({ name: name.optional(), settings: settingsChangeSchema.optional() }),
  responses: { 202: acceptedSchema },
});

export const removeConnector = defineRoute({
  method: "DELETE",
  path: "/v1/connectors/:connector",
  audience: "approver",
  summary: "Remove a connector and forget its credentials",
  params,
  responses: { 202: acceptedSchema },
});

export const testConnector = defineRoute({
  method: "POST",
  path: "/v1/connectors/:connector/test",
  audience: "approver",
  summary: "Connect now, and say what was found there or why nothing was",
  params,
  responses: {
    200: z.object({
      problem: z.object({ code: z.string(), message: z.string() }).nullable(),
      actions: z.array(actionDefinitionSchema),
      leftOut: z.array(leftOutActionSchema),
    }),
  },
});

export const authorizeConnector = defineRoute({
  method: "POST",
  path: "/v1/connectors/:connector/authorization",
  audience: "approver",
  summary:
    "Begin to authorize a connector: the answer is where the person has to go, within 10 minutes",
  params,
  responses: { 200: z.object({ authorizationUrl: z.string() }) },
});

/** What an authorization server sends the person back with (RFC 6749, section 4.1.2; RFC 9207). */
export const returnedAuthorizationSchema = z.object({
  state: z.string().min(1).max(500),
  code: z.string().max(4096).optional(),
  iss: z.string().max(1000).optional(),
  error: z.string().max(200).optional(),
});
export type ReturnedAuthorization = z.infer<typeof returnedAuthorizationSchema>;

/** The dashboard's page that takes over from there: it calls `finishAuthorization` and tells the person. */
export const authorizationPage = "/connector-authorization";

export const authorizationCallback = defineRoute({
  method: "GET",
  path: "/v1/connectors/authorization/callback",
  audience: "public",
  summary:
    "Where an authorization server sends people back to: a page that goes on to the dashboard, or to the next route",
  query: returnedAuthorizationSchema,
  responses: { 200: z.string() },
});

export const finishAuthorization = defineRoute({
  method: "GET",
  path: "/v1/connectors/authorization/finish",
  audience: "approver",
  summary: "Finish an authorization, as the person who has begun it",
  query: returnedAuthorizationSchema,
  responses: { 200: z.object({ connector: connectorIdSchema, authorized: z.literal(true) }) },
});
