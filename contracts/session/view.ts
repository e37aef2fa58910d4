import { z } from "zod";
import { idSchema } from "../ids.ts";
import { repositorySchema } from "../repository.ts";
import { failureSchema, sessionOriginSchema } from "./events.ts";

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
  repository: repositorySchema.nullable(),
  model: z.string(),
  /** Prompts that are queued or being answered. */
  openPrompts: z.int().nonnegative(),
  failure: failureSchema.nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type SessionView = z.infer<typeof sessionViewSchema>;
