import { z } from "zod";
import { idSchema } from "../ids.ts";
import { repositorySchema } from "../repository.ts";
import { excludedConnectionSchema } from "./connections.ts";
import { failureSchema, sessionOriginSchema } from "./events.ts";
import { sessionKindSchema } from "./kind.ts";

export const sessionStatusSchema = z.enum([
  "pending",
  "starting",
  "running",
  "migrating",
  "paused",
  "stopped",
  "failed",
]);
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

/** A session as queries show it. */
export const sessionViewSchema = z.object({
  id: idSchema("session"),
  organizationId: idSchema("organization"),
  title: z.string(),
  status: sessionStatusSchema,
  origin: sessionOriginSchema,
  kind: sessionKindSchema,
  /** Null for a session of no configuration. */
  configurationId: idSchema("configuration").nullable(),
  /** The session whose work this one is a part of; null for one that stands alone. */
  parentId: idSchema("session").nullable(),
  /** The integrations and connectors that it may use; null for all of the organisation's. */
  connections: z.array(z.string()).nullable(),
  /** Asked for, and left out because they could not be used when the session was created. */
  excludedConnections: z.array(excludedConnectionSchema),
  repository: repositorySchema.nullable(),
  model: z.string(),
  /** Prompts that are queued or being answered. */
  openPrompts: z.int().nonnegative(),
  failure: failureSchema.nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type SessionView = z.infer<typeof sessionViewSchema>;
