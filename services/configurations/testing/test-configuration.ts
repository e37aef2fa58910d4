import type { ConfigurationSettings } from "#contracts/configuration/settings";
import { newId, type OrganizationId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { createConfiguration } from "../commands.ts";

/** A configuration for tests, of an empty workspace unless its settings are given. */
export const createTestConfiguration = (
  store: EventStore,
  organization: OrganizationId,
  settings: Partial<ConfigurationSettings> = {},
) =>
  createConfiguration(
    store,
    organization,
    {
      name: "Test",
      settings: {
        repositories: [],
        serviceCommands: [],
        envFiles: null,
        previewPorts: [],
        ...settings,
      },
      createdBy: newId("user"),
      idempotencyKey: null,
    },
    newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } }),
  );
