/** The events of a session: its prompts, its owner, and its sandbox. What was said is in the transcript. */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedText } from "../erasure/markers.ts";
import { idSchema } from "../ids.ts";
import { workspaceRepositorySchema } from "../repository.ts";
import { appliedConfigurationSchema } from "./applied-configuration.ts";
import { validatedConnectionsSchema } from "./connections.ts";
import { envVariableNameSchema, envVariableRequestSchema } from "./env-request.ts";
import { sessionKindSchema } from "./kind.ts";
import { maxAutoDeleteDays } from "./limits.ts";
import { serviceCommandSchema } from "./service-command.ts";
import { sandboxWarningSchema } from "./sandbox-warning.ts";
import { triedServiceSchema } from "./service-trial.ts";

/** The owner's lease revision; every command of an owner carries it, and a stale one is refused. */
const epoch = z.int().positive();

/** Which of the session's sandboxes, of which there may be two for a while; the first one is 0. */
const generation = z.int().nonnegative();

/** When the provider ends the sandbox by itself; null: never. */
const expiresAt = z.iso.datetime().nullable();

export const sessionOriginSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("user"), userId: idSchema("user") }),
  z.object({ kind: z.literal("automation"), runId: idSchema("run") }),
]);
export type SessionOrigin = z.infer<typeof sessionOriginSchema>;

export const promptOutcomeSchema = z.enum(["completed", "cancelled", "failed"]);
export type PromptOutcome = z.infer<typeof promptOutcomeSchema>;

export const failureSchema = z.object({ code: z.string().max(64), message: z.string().max(2000) });
export type Failure = z.infer<typeof failureSchema>;

export const sessionEvents = [
  defineEvent(
    "SessionCreated",
    2,
    {
      title: z.string(),
      origin: sessionOriginSchema,
      kind: sessionKindSchema,
      repositories: z.array(workspaceRepositorySchema),
      /** The canonical id of the registry. */
      model: z.string(),
      /** Stands in place of the kind's own prompt; null for that one. */
      systemPrompt: z.string().nullable(),
      /** SHA-256 of the request, so that a key that comes again with another request is refused. */
      fingerprint: z.string(),
    },
    // From a hash of the text, a guess at the text could be confirmed.
    { title: erasedText, systemPrompt: erasedText, fingerprint: erasedText },
  ),
  /** In the commit that creates a session: what it has of its configuration, whose changes do not reach it. */
  defineEvent("ConfigurationApplied", 1, appliedConfigurationSchema.shape, {
    serviceCommands: [],
    envFiles: { files: [] },
  }),
  /** In the commit that creates a session: it is a part of another one's work. */
  defineEvent("ParentNamed", 1, { parentId: idSchema("session") }),
  /** In the commit that creates a session for which connections were named: it may use these, and no other. */
  defineEvent("ConnectionsValidated", 1, validatedConnectionsSchema.shape, { excluded: [] }),
  /** In the commit that creates a session: its sandbox waits until somebody asks for it. */
  defineEvent("ProvisioningDeferred", 1, {}),
  defineEvent(
    "PromptQueued",
    1,
    {
      promptId: idSchema("prompt"),
      text: z.string(),
      /** The user or run that asked. */
      by: z.string(),
    },
    { text: erasedText },
  ),
  /** Somebody has worded a prompt anew that nobody has answered yet. */
  defineEvent(
    "PromptChanged",
    1,
    { promptId: idSchema("prompt"), text: z.string() },
    { text: erasedText },
  ),
  defineEvent("SessionRenamed", 1, { title: z.string() }, { title: erasedText }),
  defineEvent("CancelRequested", 1, { promptIds: z.array(idSchema("prompt")) }),
  defineEvent("OwnershipAcquired", 1, { instance: z.string(), epoch }),
  defineEvent("SandboxStarting", 1, { epoch, provider: z.string() }),
  /** It did not come up this time; the owner tries again, and the prompts wait. */
  defineEvent(
    "SandboxStartFailed",
    1,
    { epoch, failure: failureSchema },
    { "failure.message": erasedText },
  ),
  defineEvent("SandboxReady", 2, {
    epoch,
    sandboxId: z.string(),
    /** The agent server's own id of the conversation. */
    agentSessionId: z.string(),
    bootMs: z.number().nonnegative(),
    expiresAt,
  }),
  /** The sandbox's time is nearly up, and the session is in use: another one is to take its place. */
  defineEvent("MigrationRequested", 1, {}),
  /** The files are kept, and a sandbox is made of them beside the present one. */
  defineEvent("MigrationStarted", 1, { epoch, generation, snapshotId: z.string() }),
  /** The session goes on in its present sandbox; it is tried again while that one's time lasts. */
  defineEvent(
    "MigrationFailed",
    1,
    { epoch, failure: failureSchema },
    { "failure.message": erasedText },
  ),
  /** From here on the session's sandbox is the new one. */
  defineEvent("SandboxMigrated", 1, { epoch, generation, sandboxId: z.string(), expiresAt }),
  /** A sandbox that is not the session's, or not any more, has ended. */
  defineEvent("SpareSandboxEnded", 1, { epoch, generation }),
  /** The sandbox came up, but not as it was wanted. */
  defineEvent(
    "SandboxWarned",
    1,
    { epoch, warning: sandboxWarningSchema },
    { "warning.message": erasedText },
  ),
  /** The provider cannot pause, so the files were kept in a snapshot and the sandbox ends. */
  defineEvent("SandboxPutAway", 1, { epoch, snapshotId: z.string() }),
  defineEvent(
    "SandboxFailed",
    1,
    { epoch, failure: failureSchema },
    { "failure.message": erasedText },
  ),
  defineEvent("PromptStarted", 1, { epoch, promptId: idSchema("prompt") }),
  defineEvent(
    "PromptFinished",
    1,
    {
      epoch,
      promptId: idSchema("prompt"),
      outcome: promptOutcomeSchema,
      failure: failureSchema.nullable(),
    },
    { "failure.message": erasedText },
  ),
  defineEvent("PauseRequested", 1, {}),
  /** Nobody used the session or watched it for a while; the request to pause it is in the same commit. */
  defineEvent("SessionFoundIdle", 1, {}),
  /** The sandbox of an idle session could not be put away; the owner tries again. */
  defineEvent(
    "IdlePauseFailed",
    1,
    { epoch, failure: failureSchema },
    { "failure.message": erasedText },
  ),
  /** After too many such failures: the sandbox was ended with what was in it, rather than left to cost. */
  defineEvent(
    "IdleSandboxEnded",
    1,
    { epoch, failure: failureSchema },
    { "failure.message": erasedText },
  ),
  defineEvent("SessionPaused", 1, { epoch }),
  defineEvent("ResumeRequested", 1, {}),
  defineEvent(
    "ServiceCommandsSaved",
    1,
    { commands: z.array(serviceCommandSchema) },
    { commands: [] },
  ),
  defineEvent(
    "EnvVariablesRequested",
    1,
    { requestId: z.string(), keys: z.array(envVariableRequestSchema) },
    { keys: [] },
  ),
  /** Somebody gave values, which are kept encrypted and elsewhere. */
  defineEvent("EnvVariablesProvided", 1, {
    names: z.array(envVariableNameSchema).min(1),
    by: idSchema("user"),
  }),
  /** Somebody wants the sandbox's files kept; the owner sees to it. */
  defineEvent(
    "SnapshotRequested",
    1,
    { requestId: z.string(), message: z.string().nullable() },
    { message: erasedText },
  ),
  defineEvent("SnapshotTaken", 1, { epoch, requestId: z.string(), snapshotId: z.string() }),
  defineEvent(
    "SnapshotFailed",
    1,
    { epoch, requestId: z.string(), failure: failureSchema },
    { "failure.message": erasedText },
  ),
  /** Somebody wants to see the services start; the owner sees to it. */
  defineEvent("ServiceTrialRequested", 1, { requestId: z.string() }),
  /** How they are at the end of it; what they have printed was told to those who watched, and is not kept. */
  defineEvent(
    "ServicesTried",
    1,
    {
      epoch,
      requestId: z.string(),
      services: z.array(triedServiceSchema),
      /** Why nothing could be tried; null unless so. */
      failure: failureSchema.nullable(),
    },
    { services: [], "failure.message": erasedText },
  ),
  /** After so many days without use the session is deleted with its text; null: never. */
  defineEvent("AutoDeleteSet", 1, { days: z.int().min(1).max(maxAutoDeleteDays).nullable() }),
  /** Somebody has had a branch of the sandbox proposed for merging. */
  defineEvent(
    "PullRequestOpened",
    1,
    {
      /** The repository's folder below the workspace. */
      repository: z.string(),
      number: z.int().positive(),
      url: z.string(),
    },
    { url: erasedText },
  ),
  defineEvent("SessionStopped", 1, { reason: z.enum(["deleted"]) }),
  /** What was written in the session is to be erased; a worker sees to it. */
  defineEvent("ErasureRequested", 1, {}),
] as const;

export type SessionEvent = EventOf<(typeof sessionEvents)[number]>;
