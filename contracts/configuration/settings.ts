import { z } from "zod";
import { workspaceRepositoriesSchema } from "../repository.ts";
import { envSpecSchema } from "../sandbox/env-files.ts";
import { serviceCommandSchema } from "../session/service-command.ts";

export const maxConfigurationNameLength = 100;

/** What the sandboxes of a configuration's sessions are made of. */
export const configurationSettingsSchema = z.object({
  repositories: workspaceRepositoriesSchema,
  /** What is started in the workspace. */
  serviceCommands: z.array(serviceCommandSchema).max(10),
  /** Which files with environment variables there are; null for none. No place for secret values. */
  envFiles: envSpecSchema.nullable(),
  /** Where applications listen, the likeliest first; none for the usual ones. */
  previewPorts: z.array(z.int().min(1).max(65_535)).max(16),
});
export type ConfigurationSettings = z.infer<typeof configurationSettingsSchema>;

/** A snapshot of the workspace, as a setup session has left it. */
export const configurationSnapshotSchema = z.object({
  /** Means something to the provider that took it, and to no other. */
  snapshotId: z.string().min(1).max(200),
  provider: z.string().min(1).max(64),
  /** Of what was baked into the sandbox beside the workspace: 64 hex digits; null where nobody knows. */
  versionKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});
export type ConfigurationSnapshot = z.infer<typeof configurationSnapshotSchema>;

/** A snapshot, and who has it. */
export const storedSnapshotSchema = configurationSnapshotSchema.omit({ versionKey: true });
export type StoredSnapshot = z.infer<typeof storedSnapshotSchema>;
