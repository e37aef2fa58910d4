/** What a session remembers to decide on its commands, and what its owner has to know. Plain JSON. */
import type { PromptId, SessionId } from "#contracts/ids";
import type { WorkspaceRepository } from "#contracts/repository";
import type { EnvVariableRequest } from "#contracts/session/env-request";
import type { AppliedConfiguration } from "#contracts/session/applied-configuration";
import type { ExcludedConnection } from "#contracts/session/connections";
import type { Failure, PromptOutcome, SessionOrigin } from "#contracts/session/events";
import type { SessionKind } from "#contracts/session/kind";
import type { ServiceCommand } from "#contracts/session/service-command";
import type { TriedService } from "#contracts/session/service-trial";

/** A prompt that is queued or being answered. */
export interface OpenPrompt {
  readonly promptId: PromptId;
  readonly text: string;
  /** Of the text that was asked first, by which the same request is known when it comes again. */
  readonly fingerprint: string;
  /** The user or run that asked. */
  readonly by: string;
  /** Whether the present owner has started it; a new owner starts it anew. */
  readonly started: boolean;
  /** Whether the agent may be at it, whoever has given it to the agent. */
  readonly begun: boolean;
  readonly cancelRequested: boolean;
}

/** A snapshot that the owner is to take. */
export interface SnapshotRequest {
  readonly requestId: string;
  readonly message: string | null;
}

/** Which variables people have given values for; the values are kept elsewhere. */
export interface SessionEnvironment {
  readonly names: readonly string[];
  /** How often values were given: a sandbox that knows an earlier count lacks some. */
  readonly version: number;
}

/** What the agent asks people for. */
export interface OpenEnvRequest {
  readonly requestId: string;
  readonly keys: readonly EnvVariableRequest[];
  /** The names without which it is not answered. */
  readonly missing: readonly string[];
}

/** What became of a request for a snapshot. */
export type SnapshotResult = { readonly requestId: string } & (
  { readonly snapshotId: string } | { readonly failure: Failure }
);

/** A prompt that was answered; kept so that the same request is known when it comes again. */
interface FinishedPrompt {
  readonly promptId: PromptId;
  /** Of its text. */
  readonly fingerprint: string;
}

/** How a prompt ended. */
export interface PromptEnd {
  readonly outcome: PromptOutcome;
  readonly failure: Failure | null;
}

export interface EndedPrompt extends PromptEnd {
  readonly promptId: PromptId;
}

/** How a trial of services went. */
export interface EndedTrial {
  readonly requestId: string;
  readonly services: readonly TriedService[];
  /** Why nothing could be tried; null unless so. */
  readonly failure: Failure | null;
}

interface SessionFacts {
  readonly title: string;
  readonly origin: SessionOrigin;
  readonly kind: SessionKind;
  readonly repositories: readonly WorkspaceRepository[];
  /** By its canonical id. */
  readonly model: string;
  /** Stands in place of the kind's own prompt; null for that one. */
  readonly systemPrompt: string | null;
  /** Of the request that created the session. */
  readonly fingerprint: string;
  /** Null for a session of no configuration. */
  readonly configuration: AppliedConfiguration | null;
  /** The session whose work this one is a part of; null for one that stands alone. */
  readonly parentId: SessionId | null;
  /** The integrations and connectors that it may use; null for all of the organisation's. */
  readonly connections: readonly string[] | null;
  /** Asked for, and left out. */
  readonly excludedConnections: readonly ExcludedConnection[];
  /** Nobody has asked for the sandbox yet, and it is not to be made before. */
  readonly deferred: boolean;
  /** The epoch of the newest owner; 0 before the first. */
  readonly epoch: number;
  /** Who that owner is; null before the first. */
  readonly instance: string | null;
  /** In the order in which they were asked. */
  readonly prompts: readonly OpenPrompt[];
  /** The newest last; see `rememberedPrompts`. */
  readonly finished: readonly FinishedPrompt[];
  /** Of the newest of them; null before the first. */
  readonly lastEnd: EndedPrompt | null;
  /** The prompts that were open when the session was deleted. */
  readonly cutOff: readonly Pick<OpenPrompt, "promptId" | "by">[];
  /** How the services of the repositories are started, as a setup session's agent has found out. */
  readonly serviceCommands: readonly ServiceCommand[];
  readonly environment: SessionEnvironment;
  /** Unanswered, the newest last; see `rememberedEnvRequests`. */
  readonly envRequests: readonly OpenEnvRequest[];
  /** As it was set for this session; undefined where nobody has, so that the installation's counts. */
  readonly autoDeleteDays?: number | null;
  readonly erasureRequested: boolean;
  /** The addresses of those that people have opened from here. */
  readonly pullRequests: readonly string[];
  /** The trial of its services that the owner is at, or is to begin; null for none. */
  readonly serviceTrial: { readonly requestId: string } | null;
  /** The requests of trials that came to an end, the newest last; see `rememberedTrials`. */
  readonly triedServices: readonly string[];
  /** The last of them; null before the first. */
  readonly lastTrial: EndedTrial | null;
  readonly snapshotRequests: readonly SnapshotRequest[];
  /** The newest last; see `rememberedSnapshots`. */
  readonly snapshots: readonly SnapshotResult[];
  /**
   * `requested`: the owner is to put the sandbox away. `withdrawn`: somebody has asked for the session
   * since, and the owner may or may not be at it already.
   */
  readonly pause: "none" | "requested" | "withdrawn";
  /** Of a pause that was requested because nobody used the session: how often it has failed; else null. */
  readonly idlePause: { readonly failures: number } | null;
  /** The type of the provider that has the session's sandbox, from its first start on. */
  readonly provider: string | null;
  /** The newest snapshot: taken for the agent, or to put the files away where the provider cannot pause. */
  readonly snapshotId: string | null;
  /** Which of its sandboxes is the session's: each migration counts one on. */
  readonly generation: number;
  /** Sandboxes that may be there beside it, and are to be ended: a former one, or one that was not moved to. */
  readonly spares: readonly number[];
  /** ISO 8601 in UTC, when the provider ends the sandbox by itself; null: never, or not known. */
  readonly expiresAt: string | null;
  /** How often moving out of the present sandbox has failed. */
  readonly migrationFailures: number;
  /** How often in a row the sandbox has not come up. */
  readonly startFailures: number;
  /** What people read beside the status: why it is so; null where it speaks for itself. */
  readonly statusDetail: string | null;
}

interface SandboxFacts {
  readonly sandboxId: string;
  /** The agent server's own id of the conversation. */
  readonly agentSessionId: string;
}

/** The sandbox that the session had last, whose files may be there. */
interface FormerSandbox {
  readonly sandboxId: string | null;
  readonly agentSessionId: string | null;
}

/**
 * - `pending`: an owner has to bring the sandbox up, at once or (`deferred`) when somebody asks for it
 * - `starting`: an owner is at it
 * - `running`: prompts can be answered
 * - `migrating`: its sandbox ends soon and runs on until another one has taken its place; prompts wait
 * - `paused`: the sandbox was put away and its files were kept
 * - `failed`: the sandbox could not be brought up; a new prompt or a resume tries again
 * - `stopped`: deleted, for good
 */
export type ExistingSession = SessionFacts &
  (
    | ({
        readonly status: "pending" | "starting" | "paused" | "failed" | "stopped";
      } & FormerSandbox)
    | ({ readonly status: "running" | "migrating" } & SandboxFacts)
  );

export type SessionState = { readonly status: "none" } | ExistingSession;

/** For whoever knows that the session exists. */
export const existing = (state: SessionState): ExistingSession => {
  if (state.status === "none") throw new Error("There is no such session.");
  return state;
};

/** After so many failures the sandbox of an idle session is ended instead of being put away. */
export const maxIdlePauseFailures = 3;

/** How many unanswered requests for variables are remembered. */
export const rememberedEnvRequests = 20;

/** How many snapshots are remembered for those who asked for them. */
export const rememberedSnapshots = 20;

/** How many trials of services are remembered, so that the same request is known when it comes again. */
export const rememberedTrials = 20;

/**
 * How many answered prompts are remembered. A request whose key is as old as that was given up by its
 * sender long ago.
 */
export const rememberedPrompts = 100;
