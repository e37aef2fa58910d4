/** Which of the organisation's connections, its integrations and connectors, a session may use. */
import { z } from "zod";
import { connectorIdSchema } from "../connector/events.ts";

/** How many a request for a session may name. */
export const maxNamedConnections = 100;

/** As a request names them; none at all for a session that acts on nothing outside. */
export const namedConnectionsSchema = z.array(connectorIdSchema).max(maxNamedConnections);

/** One that was asked for and could not be used when the session was created. */
export const excludedConnectionSchema = z.object({
  connection: connectorIdSchema,
  /** Of the error catalogue. */
  code: z.string().max(64),
  /** One sentence for people, without secrets. */
  message: z.string().max(500),
});
export type ExcludedConnection = z.infer<typeof excludedConnectionSchema>;

/** What became of the connections that were asked for. */
export const validatedConnectionsSchema = z.object({
  usable: z.array(connectorIdSchema),
  excluded: z.array(excludedConnectionSchema),
});
export type ValidatedConnections = z.infer<typeof validatedConnectionsSchema>;
