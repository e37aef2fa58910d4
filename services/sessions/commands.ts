/** What people and automations do with sessions: append the command's outcome, then nudge the owner. */
import type { Logger } from "pino";
import { DomainError } from "#contracts/errors";
import {
  derivedId,
  newId,
  type OrganizationId,
  type PromptId,
  type SessionId,
  type UserId,
} from "#contracts/ids";
import type { Position } from "#contracts/position";
import { requireModel } from "#contracts/models/registry";
import { type WorkspaceRepository, workspaceRoot } from "#contracts/repository";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionOrigin } from "#contracts/session/events";
import { maxPromptBytes } from "#contracts/session/limits";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute, type Executed } from "#event-store/execute";
import { type OwnerVerb, requestOwner } from "#event-store/owner-requests";
import { sessionAggregate } from "./decider.ts";
import type { SessionValues } from "./environment/session-values.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { SessionState } from "./state.ts";

export interface SessionCommandsDeps {
  readonly store: EventStore;
  readonly log: Pick<Logger, "warn">;
  /** The model of sessions that name none, by its canonical id. */
  readonly defaultModel: string;
}

/** One session of one organisation. */
export interface SessionRef {
  readonly organization: OrganizationId;
  readonly session: SessionId;
}

export interface CreateSessionRequest {
  readonly organization: OrganizationId;
  readonly title: string;
  readonly origin: SessionOrigin;
  /** By default `automation` for the session of a run, else `coding`. */
  readonly kind?: "coding" | "setup" | undefined;
  readonly repositories: readonly WorkspaceRepository[];
  /** In any of the formats of the model registry. */
  readonly model?: string | undefined;
  /** In place of the kind's own prompt. */
  readonly systemPrompt?: string | undefined;
  /** The first prompt, if there is one. `by` is the user or run that asks. */
  readonly prompt: { readonly text: string; readonly by: string } | null;
  /** The same key of the same organisation is the same session; null for a new one in any case. */
  readonly idempotencyKey: string | null;
}

/** The id of the session that is created with an idempotency key. */
export const sessionIdOf = (organization: string, idempotencyKey: string): SessionId =>
  derivedId("session", organization, idempotencyKey);

/** @throws DomainError `prompt_too_large`, `model_unknown`, `idempotency_key_reused` */
export const createSession = async (
  deps: SessionCommandsDeps,
  request: CreateSessionRequest,
  meta: CommandMeta,
): Promise<{ readonly sessionId: SessionId; readonly position: Position }> => {
  const { organization, title, origin, repositories, prompt, idempotencyKey } = request;
  if (prompt) refuseLargePrompt(prompt.text);
  const session =
    idempotencyKey === null ? newId("session") : sessionIdOf(organization, idempotencyKey);
  const { position } = await carryOut(deps, { organization, session }, meta, {
    type: "CreateSession",
    title,
    origin,
    kind: request.kind ?? (origin.kind === "automation" ? "automation" : "coding"),
    repositories,
    model: request.model === undefined ? deps.defaultModel : requireModel(request.model).id,
    systemPrompt: request.systemPrompt ?? null,
    prompt: prompt && { promptId: derivedId("prompt", session, "first"), ...prompt },
    fingerprint: fingerprintOf(askedFor(request)),
  });
  return { sessionId: session, position };
};

/**
 * What the caller said, without what was settled here: another default model must not turn a repetition
 * into another request. The form is that of older versions where they could have been asked the same.
 */
const askedFor = (request: CreateSessionRequest): Record<string, unknown> => {
  const { title, origin, repositories, prompt, model = null, kind, systemPrompt } = request;
  const [first, second] = repositories;
  const repository = first ? { url: first.url, ref: first.ref } : null;
  return {
    title,
    origin,
    prompt,
    model,
    ...(second || (first && first.path !== workspaceRoot) ? { repositories } : { repository }),
    ...(kind !== undefined && kind !== "coding" && { kind }),
    ...(systemPrompt !== undefined && { systemPrompt }),
  };
};

/** @throws DomainError `prompt_too_large`, `idempotency_key_reused`, `prompt_queue_full`, `session_not_found`, `session_stopped` */
export const queuePrompt = async (
  deps: SessionCommandsDeps,
  ref: SessionRef,
  prompt: { readonly text: string; readonly by: string; readonly idempotencyKey: string | null },
  meta: CommandMeta,
): Promise<{ readonly promptId: PromptId; readonly position: Position }> => {
  const { text, by, idempotencyKey } = prompt;
  refuseLargePrompt(text);
  const promptId =
    idempotencyKey === null
      ? newId("prompt")
      : derivedId("prompt", ref.session, "key", idempotencyKey);
  const { position } = await carryOut(deps, ref, meta, { type: "QueuePrompt", promptId, text, by });
  return { promptId, position };
};

/** @throws DomainError `prompt_too_large`, `prompt_not_found`, `prompt_started`, `session_stopped` */
export const changePrompt = async (
  deps: SessionCommandsDeps,
  ref: SessionRef,
  prompt: { readonly promptId: PromptId; readonly text: string },
  meta: CommandMeta,
): Promise<Position> => {
  refuseLargePrompt(prompt.text);
  return (await carryOut(deps, ref, meta, { type: "ChangePrompt", ...prompt })).position;
};

/** @throws DomainError `prompt_not_found`, `prompt_started`, `session_stopped` */
export const withdrawPrompt = async (
  deps: SessionCommandsDeps,
  ref: SessionRef,
  promptId: PromptId,
  meta: CommandMeta,
): Promise<Position> =>
  (await carryOut(deps, ref, meta, { type: "WithdrawPrompt", promptId })).position;

/** @throws DomainError `session_not_found`, `session_stopped` */
export const renameSession = async (
  deps: SessionCommandsDeps,
  ref: SessionRef,
  title: string,
  meta: CommandMeta,
): Promise<Position> =>
  (await carryOut(deps, ref, meta, { type: "RenameSession", title })).position;

/**
 * Asks the owner for a snapshot; what became of it is in the session's state under the same `requestId`.
 * @throws DomainError `session_not_found`, `session_stopped`, `session_not_running`
 */
export const requestSnapshot = async (
  deps: Pick<SessionCommandsDeps, "store" | "log">,
  ref: SessionRef,
  request: { readonly requestId: string; readonly message: string | null },
  meta: CommandMeta,
): Promise<Position> =>
  (await carryOut(deps, ref, meta, { type: "RequestSnapshot", ...request })).position;

/**
 * Keeps the values and says that they are there; the sandbox that runs gets them at once, every later one
 * when it comes up.
 * @param values by their names, such as `DATABASE_URL`
 * @throws DomainError `session_not_found`, `session_stopped`, `too_many_env_variables`
 */
export const provideEnvVariables = async (
  deps: Pick<SessionCommandsDeps, "store" | "log"> & { readonly values: SessionValues },
  ref: SessionRef,
  { values, by }: { readonly values: Readonly<Record<string, string>>; readonly by: UserId },
  meta: CommandMeta,
): Promise<Position> => {
  // First, so that nobody is told of values that are not there.
  await deps.values.keep(ref, values);
  const names = Object.keys(values);
  return (await carryOut(deps, ref, meta, { type: "ProvideEnvVariables", names, by })).position;
};

type PlainCommand = Extract<
  SessionCommand["type"],
  "CancelPrompts" | "RequestPause" | "RequestResume" | "DeleteSession"
>;

/** A command that says nothing but its name. */
const plainCommand =
  (type: PlainCommand, verb: OwnerVerb = "wake") =>
  async (deps: SessionCommandsDeps, ref: SessionRef, meta: CommandMeta): Promise<Position> =>
    (await carryOut(deps, ref, meta, { type }, verb)).position;

/** Stops what is being answered and drops what waits. @throws DomainError `session_not_found`, `session_stopped` */
export const cancelPrompts = plainCommand("CancelPrompts", "cancel");
/** @throws DomainError `session_not_found`, `session_stopped` */
export const pauseSession = plainCommand("RequestPause");
/** @throws DomainError `session_not_found`, `session_stopped` */
export const resumeSession = plainCommand("RequestResume");
/** @throws DomainError `session_not_found` */
export const deleteSession = plainCommand("DeleteSession");

const carryOut = async (
  deps: Pick<SessionCommandsDeps, "store" | "log">,
  { organization, session }: SessionRef,
  meta: CommandMeta,
  command: SessionCommand,
  verb: OwnerVerb = "wake",
): Promise<Executed<unknown, SessionState>> => {
  const key = { organization, id: session };
  const executed = await execute(deps.store, sessionAggregate, key, command, meta);
  await nudge(deps, { organization, session }, verb);
  return executed;
};

/**
 * Also after a command that changed nothing: it may be the repetition of one whose nudge got lost. A
 * nudge only saves time: the runners' activator finds the command in the log, so a failure here must
 * not make the caller believe that nothing has happened.
 */
const nudge = async (
  { store, log }: Pick<SessionCommandsDeps, "store" | "log">,
  { session }: SessionRef,
  verb: OwnerVerb,
): Promise<void> => {
  try {
    await requestOwner(store, session, verb);
  } catch (error) {
    log.warn({ err: error, sessionId: session, verb }, "could not nudge the session's owner");
  }
};

const refuseLargePrompt = (text: string): void => {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxPromptBytes) {
    throw new DomainError("prompt_too_large", "A prompt may have 100 KB at most.", {
      fields: { bytes, limit: maxPromptBytes },
    });
  }
};
