import { erasedText } from "#contracts/erasure/markers";
import type { Repository, WorkspaceRepository } from "#contracts/repository";
import { erasedFailure } from "../erased-failure.ts";
import { type Changes, defineRowProjection, type EventContext } from "../runtime/row-projection.ts";
import { type SessionRow, sessionsTable } from "./table.ts";

const changed = (
  row: SessionRow,
  { meta }: EventContext,
  change: Partial<SessionRow> = {},
): SessionRow => ({ ...row, ...change, updated_at: meta.at });

const awaited = ({ status }: SessionRow): Partial<SessionRow> =>
  status === "failed" || status === "paused" ? { status: "pending", failure: null } : {};

const change: Changes<SessionRow> = {
  ConfigurationApplied: (row, { configurationId }) => ({
    ...row,
    configuration_id: configurationId,
  }),
  ParentNamed: (row, { parentId }) => ({ ...row, parent_id: parentId }),
  ConnectionsValidated: (row, { usable, excluded }) => ({
    ...row,
    connections: usable,
    excluded_connections: excluded,
  }),
  PromptQueued: (row, { promptId }, context) =>
    changed(row, context, {
      open_prompts: [...row.open_prompts, promptId],
      // a prompt is also the wish that the session comes back
      ...awaited(row),
    }),
  CancelRequested: (row, _data, context) => changed(row, context),
  SessionRenamed: (row, { title }, context) => changed(row, context, { title }),
  // why the attempt before has failed stays until one succeeds
  SandboxStarting: (row, _data, context) =>
    changed(row, context, {
      status: "starting",
      failure: row.status === "starting" ? row.failure : null,
    }),
  SandboxStartFailed: (row, { failure }, context) => changed(row, context, { failure }),
  SandboxReady: (row, _data, context) =>
    changed(row, context, { status: "running", failure: null }),
  MigrationRequested: (row, _data, context) => changed(row, context, { status: "migrating" }),
  MigrationFailed: (row, _data, context) => changed(row, context, { status: "running" }),
  SandboxMigrated: (row, _data, context) => changed(row, context, { status: "running" }),
  SandboxFailed: (row, { failure }, context) =>
    changed(row, context, { status: "failed", failure }),
  PromptStarted: (row, _data, context) => changed(row, context),
  PromptFinished: (row, { promptId }, context) =>
    changed(row, context, { open_prompts: row.open_prompts.filter((id) => id !== promptId) }),
  PauseRequested: (row, _data, context) => changed(row, context),
  IdleSandboxEnded: (row, { failure }, context) =>
    changed(row, context, { status: "failed", failure }),
  SessionPaused: (row, _data, context) => changed(row, context, { status: "paused" }),
  // asked for while the sandbox still runs, it only calls a pause off
  ResumeRequested: (row, _data, context) => changed(row, context, awaited(row)),
  SessionStopped: (row, _data, context) =>
    changed(row, context, { status: "stopped", open_prompts: [] }),
  TextErased: (row, _data, context) =>
    changed(row, context, {
      title: erasedText,
      failure: erasedFailure(row.failure),
      excluded_connections: [],
    }),
};

/** Lists show the first repository of a session. */
const repositoryOf = (first: WorkspaceRepository | undefined): Repository | null =>
  first === undefined ? null : { url: first.url, ref: first.ref };

export const sessionsProjection = defineRowProjection<SessionRow>({
  name: "sessions",
  version: 4,
  schema: new URL("./schema.sql", import.meta.url),
  aggregate: "session",
  table: sessionsTable,
  create: {
    SessionCreated: ({ title, origin, kind, repositories, model }, { organization, id, meta }) => ({
      organization_id: organization,
      id,
      title,
      status: "pending",
      origin,
      kind,
      configuration_id: null,
      parent_id: null,
      connections: null,
      excluded_connections: [],
      repository: repositoryOf(repositories[0]),
      model,
      open_prompts: [],
      failure: null,
      created_at: meta.at,
      updated_at: meta.at,
    }),
  },
  change,
});
