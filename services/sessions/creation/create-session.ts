/** The one way to a session, whoever asks for it: people over HTTP, the dashboard, the CLI, automations. */
import { DomainError } from "#contracts/errors";
import {
  type ConfigurationId,
  derivedId,
  newId,
  type OrganizationId,
  type SessionId,
} from "#contracts/ids";
import { requireModel } from "#contracts/models/registry";
import type { Position } from "#contracts/position";
import { type WorkspaceRepository, workspaceRoot } from "#contracts/repository";
import type { AppliedConfiguration } from "#contracts/session/applied-configuration";
import type { ExcludedConnection, ValidatedConnections } from "#contracts/session/connections";
import type { SessionOrigin } from "#contracts/session/events";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { requireConfiguration } from "../../configurations/commands.ts";
import { carryOut, refuseLargePrompt, type SessionCommandsDeps } from "../commands.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { findSession, type SessionRef } from "../session-log.ts";
import { existing } from "../aggregate/state.ts";
import { titleFrom } from "./title.ts";
import {
  validateConnections,
  type ValidateConnectionsDeps,
} from "../connections/validate-connections.ts";

export type CreateSessionDeps = SessionCommandsDeps & ValidateConnectionsDeps;

export interface CreateSessionRequest {
  readonly organization: OrganizationId;
  /** By default the prompt's first line. */
  readonly title?: string | undefined;
  readonly origin: SessionOrigin;
  /** By default `automation` for the session of a run, else `coding`; `setup` needs a configuration. */
  readonly kind?: "coding" | "setup" | undefined;
  /** Of a session without a configuration; none of both is an empty workspace. */
  readonly repositories: readonly WorkspaceRepository[];
  readonly configurationId?: ConfigurationId | undefined;
  /** A session of the same organisation whose work this one is a part of. */
  readonly parentId?: SessionId | undefined;
  /** The only integrations and connectors that it may use; all of the organisation's where none are named. */
  readonly connections?: readonly string[] | undefined;
  /** `deferred`: the sandbox waits for the first prompt or watcher. Immediate by default. */
  readonly provisioning?: "immediate" | "deferred" | undefined;
  /** In any of the formats of the model registry. */
  readonly model?: string | undefined;
  /** In place of the kind's own prompt. */
  readonly systemPrompt?: string | undefined;
  /** The first prompt, if there is one. `by` is the user or run that asks. */
  readonly prompt: { readonly text: string; readonly by: string } | null;
  /** The same key of the same organisation is the same session; null for a new one in any case. */
  readonly idempotencyKey: string | null;
}

export interface CreatedSession {
  readonly sessionId: SessionId;
  readonly position: Position;
  /** Those that were named and cannot be used. */
  readonly excludedConnections: readonly ExcludedConnection[];
}

/** The id of the session that is created with an idempotency key. */
export const sessionIdOf = (organization: string, idempotencyKey: string): SessionId =>
  derivedId("session", organization, idempotencyKey);

/**
 * A request that comes again answers the session that it has made, whatever has become of the
 * configuration and the parent since.
 *
 * @throws DomainError `prompt_too_large`, `model_unknown`, `idempotency_key_reused`,
 * `configuration_required`, `configuration_not_found`, `configuration_archived`, `session_not_found` and
 * `session_stopped` for the parent
 */
export const createSession = async (
  deps: CreateSessionDeps,
  request: CreateSessionRequest,
  meta: CommandMeta,
): Promise<CreatedSession> => {
  const { organization, origin, prompt, idempotencyKey } = request;
  if (prompt) refuseLargePrompt(prompt.text);
  const session =
    idempotencyKey === null ? newId("session") : sessionIdOf(organization, idempotencyKey);
  const ref = { organization, session };
  const { name, ...made } = (await findSession(deps.store, ref))
    ? nothingNew
    : await settle(deps, request);
  const { position, state } = await carryOut(deps, ref, meta, {
    type: "CreateSession",
    title: request.title ?? titleFrom({ prompt: prompt?.text ?? null, configuration: name }),
    origin,
    kind: request.kind ?? (origin.kind === "automation" ? "automation" : "coding"),
    ...made,
    deferred: request.provisioning === "deferred",
    model: request.model === undefined ? deps.defaultModel : requireModel(request.model).id,
    systemPrompt: request.systemPrompt ?? null,
    prompt: prompt && { promptId: derivedId("prompt", session, "first"), ...prompt },
    fingerprint: fingerprintOf(askedFor(request)),
  });
  const { excludedConnections } = existing(state);
  return { sessionId: session, position, excludedConnections };
};

/** What the session is made of, as far as the log has to be asked. */
interface Settled {
  /** Of the configuration. */
  readonly name: string | null;
  readonly repositories: readonly WorkspaceRepository[];
  readonly configuration: AppliedConfiguration | null;
  readonly parentId: SessionId | null;
  readonly connections: ValidatedConnections | null;
}

/** The session stays what it is: only the request's fingerprint is looked at. */
const nothingNew: Settled = {
  name: null,
  repositories: [],
  configuration: null,
  parentId: null,
  connections: null,
};

/** What refuses the request comes first: connections are tried over the network. */
const settle = async (deps: CreateSessionDeps, request: CreateSessionRequest): Promise<Settled> => {
  const { organization, parentId, connections } = request;
  if (parentId !== undefined) await requireParent(deps.store, { organization, session: parentId });
  const workspace = await settleWorkspace(deps.store, request);
  return {
    ...workspace,
    parentId: parentId ?? null,
    connections:
      connections === undefined ? null : await validateConnections(deps, organization, connections),
  };
};

type Workspace = Pick<Settled, "name" | "repositories" | "configuration">;

const settleWorkspace = async (
  store: EventStore,
  { organization, kind, repositories, configurationId }: CreateSessionRequest,
): Promise<Workspace> => {
  if (configurationId === undefined) {
    if (kind === "setup") {
      throw new DomainError(
        "configuration_required",
        "A setup session prepares a configuration; name the one that it is for.",
      );
    }
    return { name: null, repositories, configuration: null };
  }
  const { name, settings, workspaceRevision, snapshot } = await requireConfiguration(store, {
    organization,
    id: configurationId,
  });
  const { serviceCommands, envFiles, previewPorts } = settings;
  return {
    name,
    repositories: settings.repositories,
    configuration: {
      configurationId,
      workspaceRevision,
      serviceCommands,
      envFiles,
      previewPorts,
      snapshot,
    },
  };
};

const requireParent = async (store: EventStore, ref: SessionRef): Promise<void> => {
  const parent = await findSession(store, ref);
  const fields = { parentId: ref.session };
  if (!parent) {
    throw new DomainError("session_not_found", "There is no such parent session.", { fields });
  }
  if (parent.status === "stopped") {
    throw new DomainError("session_stopped", "The parent session was deleted.", { fields });
  }
};

/**
 * What the caller said, without what was settled here: another default model must not turn a repetition
 * into another request. The form is that of older versions where they could have been asked the same.
 */
const askedFor = (request: CreateSessionRequest): Record<string, unknown> => {
  const { title, origin, repositories, prompt, model = null, kind, systemPrompt } = request;
  const { configurationId, parentId, connections, provisioning } = request;
  const [first, second] = repositories;
  const repository = first ? { url: first.url, ref: first.ref } : null;
  return {
    ...(title !== undefined && { title }),
    origin,
    prompt,
    model,
    ...(second || (first && first.path !== workspaceRoot) ? { repositories } : { repository }),
    ...(kind !== undefined && kind !== "coding" && { kind }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(configurationId !== undefined && { configurationId }),
    ...(parentId !== undefined && { parentId }),
    ...(connections !== undefined && { connections: [...new Set(connections)].sort() }),
    ...(provisioning === "deferred" && { provisioning }),
  };
};
