import { z } from "zod";
import { idSchema } from "../ids.ts";
import { configurationSettingsSchema, configurationSnapshotSchema } from "./settings.ts";

/**
 * - `needed`: no setup session has prepared the present workspace
 * - `running`: one is at it
 * - `done`: its snapshot is what new sandboxes begin with
 */
export const setupStatusSchema = z.enum(["needed", "running", "done"]);
export type SetupStatus = z.infer<typeof setupStatusSchema>;

/** A configuration as queries show it. */
export const configurationViewSchema = configurationSettingsSchema.extend({
  id: idSchema("configuration"),
  name: z.string(),
  setup: z.object({
    status: setupStatusSchema,
    /** The setup session that counts; null when there is none. */
    sessionId: idSchema("session").nullable(),
  }),
  snapshot: configurationSnapshotSchema.nullable(),
  createdBy: idSchema("user"),
  archived: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ConfigurationView = z.infer<typeof configurationViewSchema>;
