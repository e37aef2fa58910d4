import { erasedFilter, erasedText } from "#contracts/erasure/markers";
import { defineRowProjection } from "../runtime/row-projection.ts";
import { type TriggerRow, triggersTable } from "./table.ts";

export const triggersProjection = defineRowProjection<TriggerRow>({
  name: "triggers",
  version: 2,
  schema: new URL("./schema.sql", import.meta.url),
  aggregate: "trigger",
  table: triggersTable,
  create: {
    TriggerCreated: (
      { name, provider, filter, prompt, repository },
      { organization, id, meta },
    ) => ({
      organization_id: organization,
      id,
      name,
      provider,
      filter,
      prompt,
      repository,
      configuration_id: null,
      connections: null,
      created_at: meta.at,
    }),
  },
  change: {
    AutomationConfigured: (row, { configurationId, connections }) => ({
      ...row,
      configuration_id: configurationId,
      connections,
    }),
    TextErased: (row) => ({ ...row, name: erasedText, filter: erasedFilter, prompt: erasedText }),
  },
});
