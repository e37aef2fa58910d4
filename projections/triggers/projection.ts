import { erasedFilter, erasedText } from "#contracts/erasure/markers";
import { defineRowProjection } from "../runtime/row-projection.ts";
import { type TriggerRow, triggersTable } from "./table.ts";

export const triggersProjection = defineRowProjection<TriggerRow>({
  name: "triggers",
  version: 1,
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
      created_at: meta.at,
    }),
  },
  change: {
    TextErased: (row) => ({ ...row, name: erasedText, filter: erasedFilter, prompt: erasedText }),
  },
});
