/** The events of a configuration: what the sandboxes of its sessions are made of, and how it was set up. */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedText } from "../erasure/markers.ts";
import { idSchema } from "../ids.ts";
import { serviceCommandSchema } from "../session/service-command.ts";
import {
  configurationSettingsSchema,
  configurationSnapshotSchema,
  storedSnapshotSchema,
} from "./settings.ts";

const settings = configurationSettingsSchema.shape;
const erasedSettings = { serviceCommands: [], envFiles: { files: [] } };
const setupSession = { sessionId: idSchema("session") };

export const configurationEvents = [
  defineEvent(
    "ConfigurationCreated",
    1,
    {
      name: z.string(),
      ...settings,
      createdBy: idSchema("user"),
      /** SHA-256 of the request, so that a key that comes again with another request is refused. */
      fingerprint: z.string(),
    },
    { name: erasedText, fingerprint: erasedText, ...erasedSettings },
  ),
  defineEvent("ConfigurationRenamed", 1, { name: z.string() }, { name: erasedText }),
  defineEvent(
    "ConfigurationUpdated",
    1,
    {
      ...settings,
      /** Another one than before: the workspace is another, and what was set up for the former is void. */
      workspaceRevision: z.int().positive(),
    },
    erasedSettings,
  ),
  defineEvent("ConfigurationSetupStarted", 1, setupSession),
  /** The setup session's agent has found out how the services are started. */
  defineEvent(
    "ConfigurationServicesSaved",
    1,
    { ...setupSession, serviceCommands: z.array(serviceCommandSchema) },
    { serviceCommands: [] },
  ),
  /** Sandboxes begin with this snapshot from now on. */
  defineEvent("ConfigurationSnapshotSaved", 1, {
    ...setupSession,
    snapshot: configurationSnapshotSchema,
  }),
  /** The setup session was deleted; what it has saved stays. */
  defineEvent("ConfigurationSetupEnded", 1, setupSession),
  /** The setup session was deleted, and it had taken these as well: nothing new begins with them. */
  defineEvent("ConfigurationSnapshotsLeft", 1, {
    ...setupSession,
    snapshots: z.array(storedSnapshotSchema).min(1),
  }),
  /** Nothing begins with it and no session needs it any more: it is removed at its provider. */
  defineEvent("ConfigurationSnapshotDiscarded", 1, { snapshot: storedSnapshotSchema }),
  defineEvent("ConfigurationArchived", 1, {}),
] as const;
export type ConfigurationEvent = EventOf<(typeof configurationEvents)[number]>;
