import { z } from "zod";
import {
  configurationSettingsSchema,
  configurationSnapshotSchema,
} from "../configuration/settings.ts";
import { idSchema } from "../ids.ts";

const { serviceCommands, envFiles, previewPorts } = configurationSettingsSchema.shape;

/** What a session has of its configuration, as that was when the session was created. */
export const appliedConfigurationSchema = z.object({
  configurationId: idSchema("configuration"),
  /** Of the configuration: another one means other repositories. */
  workspaceRevision: z.int().positive(),
  serviceCommands,
  envFiles,
  previewPorts,
  /** What the first sandbox begins with; null for nothing but the repositories. */
  snapshot: configurationSnapshotSchema.nullable(),
});
export type AppliedConfiguration = z.infer<typeof appliedConfigurationSchema>;
