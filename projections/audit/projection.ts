/** One row per commit of whatever kind: who did what, and its place in the hash chain. No event data. */
import type { ProjectedCommit } from "../runtime/projected-commit.ts";
import type { Projection } from "../runtime/projection.ts";
import { inserted } from "../runtime/table.ts";
import { type AuditRow, auditTable } from "./table.ts";

const rowFrom = ({ ref, shard, sequence, hash, meta, events }: ProjectedCommit): AuditRow => ({
  shard,
  sequence,
  organization_id: ref.organization,
  aggregate: ref.aggregate,
  aggregate_id: ref.id,
  event_types: events.map(({ type }) => type),
  actor: meta.actor,
  command_id: meta.commandId,
  causation_id: meta.causationId,
  correlation_id: meta.correlationId,
  at: meta.at,
  prev: meta.prev,
  hash,
});

export const auditProjection: Projection = {
  name: "audit",
  version: 1,
  schema: new URL("./schema.sql", import.meta.url),
  tables: [auditTable],
  project: (batch) => Promise.resolve(inserted(auditTable, batch.map(rowFrom))),
};
