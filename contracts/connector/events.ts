import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedText } from "../erasure/markers.ts";
import { idSchema } from "../ids.ts";

/** What agents and policies call a connector. Chosen once: policies go by it. */
export const connectorIdSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/);

/** What a connector leads to; how it is opened is in the secrets. */
export const connectorTargetSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("mcp"),
    url: z.string(),
    auth: z.enum(["none", "headers", "oauth"]),
  }),
  z.object({
    kind: z.literal("postgres"),
    host: z.string(),
    port: z.int(),
    database: z.string(),
    user: z.string(),
    /** Whether the server must prove who it is, need only encrypt, or neither. */
    tls: z.enum(["verify", "encrypt", "off"]),
  }),
]);
export type ConnectorTarget = z.infer<typeof connectorTargetSchema>;

/** Names the credentials that were given with these settings; null where there are none. */
const credentials = idSchema("credentials").nullable();

export const connectorEvents = [
  defineEvent(
    "ConnectorCreated",
    1,
    { connector: connectorIdSchema, name: z.string(), target: connectorTargetSchema, credentials },
    { name: erasedText },
  ),
  /** Other settings or credentials, in the place of the former ones. */
  defineEvent("ConnectorChanged", 2, {
    connector: connectorIdSchema,
    target: connectorTargetSchema,
    credentials,
    /** Whether it can be used with them: false where a person has to authorize it first. */
    authorized: z.boolean(),
  }),
  defineEvent(
    "ConnectorRenamed",
    1,
    { connector: connectorIdSchema, name: z.string() },
    { name: erasedText },
  ),
  /** A person has let us in at the connector's authorization server. */
  defineEvent("ConnectorAuthorized", 1, { connector: connectorIdSchema }),
  defineEvent("ConnectorRemoved", 1, { connector: connectorIdSchema }),
] as const;
export type ConnectorEvent = EventOf<(typeof connectorEvents)[number]>;
