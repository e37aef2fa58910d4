/** What people and automations do with a session that is there: append the command's outcome, then nudge the owner. */
import type { Logger } from "pino";
import { DomainError } from "#contracts/errors";
import { derivedId, newId, type PromptId, type UserId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import type { SessionCommand } from "#contracts/session/commands";
import { maxPromptBytes } from "#contracts/session/limits";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute, type Executed } from "#event-store/aggregates/execute";
import { nudgeOwner, type OwnerVerb, type WakeCause } from "#event-store/live/owner-requests";
import { sessionAggregate } from "./aggregate/decider.ts";
import type { SessionValues } from "./environment/session-values.ts";
import type { SessionRef } from "./session-log.ts";
import type { SessionState } from "./aggregate/state.ts";

export interface SessionCommandsDeps {
  readonly store: EventStore;
  readonly log: Pick<Logger, "warn">;
  /** The model of sessions that name none, by its canonical id. */
  readonly defaultModel: string;
}

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
  "CancelPrompts" | "RequestPause" | "RequestResume"
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
/** `erase`: what was written in it as well. @throws DomainError `session_not_found` */
export const deleteSession = async (
  deps: SessionCommandsDeps,
  ref: SessionRef,
  meta: CommandMeta,
  { erase = false }: { readonly erase?: boolean } = {},
): Promise<Position> =>
  (await carryOut(deps, ref, meta, { type: "DeleteSession", erase })).position;

/** @throws DomainError `session_not_found`, `session_stopped` */
export const setAutoDelete = async (
  deps: SessionCommandsDeps,
  ref: SessionRef,
  days: number | null,
  meta: CommandMeta,
): Promise<Position> => (await carryOut(deps, ref, meta, { type: "SetAutoDelete", days })).position;

/** Appends the outcome of a command, then nudges the owner. @throws what the decider throws */
export const carryOut = async (
  deps: Pick<SessionCommandsDeps, "store" | "log">,
  { organization, session }: SessionRef,
  meta: CommandMeta,
  command: SessionCommand,
  verb: OwnerVerb = "wake",
): Promise<Executed<unknown, SessionState>> => {
  const key = { organization, id: session };
  const executed = await execute(deps.store, sessionAggregate, key, command, meta);
  const { trace } = meta;
  const isTraced = trace !== undefined && command.type === "QueuePrompt";
  const cause = isTraced ? { trace, prompts: [command.promptId] } : null;
  nudge(deps, { organization, session }, { verb, cause });
  return executed;
};

/**
 * Also after a command that changed nothing: it may be the repetition of one whose nudge got lost. A
 * nudge only saves time: the runners' activator finds the command in the log, so a failure here must
 * not make the caller believe that nothing has happened.
 */
const nudge = (
  { store, log }: Pick<SessionCommandsDeps, "store" | "log">,
  { session }: SessionRef,
  { verb, cause }: { readonly verb: OwnerVerb; readonly cause: WakeCause | null },
): void => {
  try {
    nudgeOwner(store, session, verb, cause);
  } catch (error) {
    log.warn({ err: error, sessionId: session, verb }, "could not nudge the session's owner");
  }
};

/** @throws DomainError `prompt_too_large` */
export const refuseLargePrompt = (text: string): void => {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxPromptBytes) {
    throw new DomainError("prompt_too_large", "A prompt may have 100 KB at most.", {
      fields: { bytes, limit: maxPromptBytes },
    });
  }
};
