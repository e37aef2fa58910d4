import { z } from "zod";
import { idSchema } from "../ids.ts";
import { namedConnectionsSchema } from "../session/connections.ts";

/** What an automation's sessions are made with, beside its repository. */
export const sessionOfRunSchema = z.object({
  /** In place of a repository; null without one. */
  configurationId: idSchema("configuration").nullable(),
  /** The only integrations and connectors that they may use; null for all of the organisation's. */
  connections: namedConnectionsSchema.nullable(),
});
export type SessionOfRun = z.infer<typeof sessionOfRunSchema>;
