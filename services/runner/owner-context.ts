/** What every part of an owner works with. */
import type { AvailableIntegration } from "#contracts/actions/definition";
import type { Actor } from "#contracts/actor";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import type { SessionCommand } from "#contracts/session/commands";
import type { Author } from "#contracts/transcript/author";
import type { TranscriptCommand } from "#contracts/transcript/commands";
import type { Message } from "#contracts/transcript/message";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { isPassing, publishLive, streamLive } from "#event-store/live/live-channel";
import type { Log } from "#event-store/log";
import type { Traceparent } from "#event-store/tracing/tracing";
import type { SandboxProvider, StageReport } from "#sandbox/provider/provider";
import type { SandboxSpec } from "#sandbox/provider/spec";
import type { AgentToolDesk } from "../actions/agent-tools/desk.ts";
import type { FindUser } from "../identity/known-users.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import type { SessionValues } from "../sessions/environment/session-values.ts";
import type { ExistingSession, SessionState } from "../sessions/aggregate/state.ts";
import {
  transcriptAggregate,
  type TranscriptState,
} from "../sessions/transcript/transcript-decider.ts";

/** How long an owner lets things take, in milliseconds unless it says otherwise. */
export interface OwnerLimits {
  /** For one attempt to bring a sandbox up, clone and all. */
  readonly startMs: number;
  /** How many attempts in a row may fail before the session does. */
  readonly startAttempts: number;
  /** Before the second attempt, and twice as long before each further one. */
  readonly startRetryMs: number;
  /** Of a sandbox's last time, this much is for moving out of it: a turn that is open by then is cut off. */
  readonly moveMs: number;
  /** For ending one sandbox that the session does not use. */
  readonly endSpareMs: number;
  /** For looking up who has asked: a name is for those who watch, and the agent waits for it. */
  readonly nameAuthorMs: number;
  /** How long services are looked at when somebody has them tried. */
  readonly tryServicesMs: number;
}

const defaultOwnerLimits: OwnerLimits = {
  startMs: 600_000,
  startAttempts: 3,
  startRetryMs: 2_000,
  moveMs: 120_000,
  endSpareMs: 30_000,
  nameAuthorMs: 2_000,
  tryServicesMs: 15_000,
};

export interface RunnerDeps {
  readonly store: EventStore;
  readonly provider: SandboxProvider;
  /** Names this process among the owners. */
  readonly instance: string;
  /** What the session's sandbox has to know. */
  readonly specOf: (
    key: { readonly organization: OrganizationId; readonly session: SessionId },
    state: ExistingSession,
  ) => SandboxSpec;
  /** What people have given the agent. */
  readonly values: Pick<SessionValues, "read" | "forget">;
  /** Who somebody is that has asked something. */
  readonly findUser: FindUser;
  /** Where the agent's own tools ask for leave. */
  readonly agentTools: AgentToolDesk;
  /** What a session's agent may do outside, now. */
  readonly availableActions: (session: {
    readonly organization: OrganizationId;
    readonly sessionId: SessionId;
  }) => Promise<readonly AvailableIntegration[]>;
  readonly limits?: Partial<OwnerLimits>;
  /** Told of every stage of every boot. Must not throw. */
  readonly onBootStage?: (report: StageReport) => void;
  readonly log: Log;
}

export interface OwnerContext {
  readonly organization: OrganizationId;
  readonly session: SessionId;
  readonly epoch: number;
  readonly deps: RunnerDeps;
  readonly limits: OwnerLimits;
  /** Carries out a command of this owner. @throws DomainError `stale_owner` once it is not the owner. */
  command(command: SessionCommand): Promise<SessionState>;
  /**
   * Keeps a whole message in the transcript.
   * @param author who asked; null for what the agent says
   * @throws DomainError `stale_owner`
   */
  record(message: Message, author?: Author | null): Promise<void>;
  /**
   * Keeps earlier owners from recording anything more, and answers what they have recorded.
   * @throws DomainError `stale_owner`
   */
  claimTranscript(): Promise<TranscriptState>;
  /** Tells those who watch. Watching is a convenience: a failure is logged and nothing else. */
  tell(message: LiveMessage): void;
}

/** @param trace what the commands are a part of */
export const createOwnerContext = (
  deps: RunnerDeps,
  owned: {
    readonly organization: OrganizationId;
    readonly session: SessionId;
    readonly epoch: number;
  },
  trace?: Traceparent,
): OwnerContext => {
  const { organization, session, epoch } = owned;
  const actor: Actor = { kind: "service", id: deps.instance, via: "runner" };
  const key = { organization, id: session };
  const onTranscript = async (
    command: TranscriptCommand,
    causationId: string | null,
  ): Promise<TranscriptState> => {
    const meta = newCommandMeta({ actor, correlationId: session, causationId, trace });
    return (await execute(deps.store, transcriptAggregate, key, command, meta)).state;
  };
  return {
    ...owned,
    deps,
    limits: { ...defaultOwnerLimits, ...deps.limits },
    command: async (command) =>
      (
        await execute(
          deps.store,
          sessionAggregate,
          key,
          command,
          newCommandMeta({ actor, correlationId: session, trace }),
        )
      ).state,
    record: async (message, author = null) => {
      await onTranscript({ type: "RecordMessage", epoch, message, author }, message.promptId);
    },
    claimTranscript: () => onTranscript({ type: "ClaimTranscript", epoch }, null),
    tell: (message) => {
      const publish = isPassing(message) ? streamLive : publishLive;
      publish(deps.store, owned, message).catch((error: unknown) => {
        deps.log.warn({ err: error, sessionId: session }, "a live message could not be published");
      });
    },
  };
};
