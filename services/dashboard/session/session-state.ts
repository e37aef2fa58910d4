/**
 * What a session's page knows from its live channel, folded frame by frame. Pure, so that what a
 * person sees after any sequence of frames can be tested without a browser.
 */
import type { OpenPromptView } from "#contracts/http/prompts";
import type { PromptId } from "#contracts/ids";
import type { InvocationView } from "#contracts/invocation/view";
import type { LiveMessage, ServerFrame } from "#contracts/live/messages";
import { type Streaming, foldStreaming } from "#contracts/live/streaming";
import type { Failure, PromptOutcome } from "#contracts/session/events";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import type { SessionStatus } from "#contracts/session/view";
import type { ShownAuthor } from "#contracts/transcript/author";
import type { ShownMessage } from "#contracts/transcript/view";
import {
  type KnownInvocation,
  foldInvocation,
  mergeInvocations,
} from "../approvals/known-invocation.ts";
import { type ServiceTrial, foldTrial } from "./service-trial.ts";
import { isBooting } from "./session-status.ts";

/** A prompt that is not in the transcript yet. */
export interface QueuedPrompt {
  readonly promptId: PromptId;
  readonly text: string;
  /** Nothing for one that was sent from here. */
  readonly author?: ShownAuthor | undefined;
  /** As far as is known the agent has not been given it, so that it can be changed or taken back. */
  readonly waits: boolean;
}

export type BootStage = Pick<
  Extract<LiveMessage, { type: "boot_stage" }>,
  "stage" | "ms" | "phase" | "outcome" | "detail"
>;

export interface SessionState {
  /** Whole messages in the order of the transcript. */
  readonly messages: readonly ShownMessage[];
  readonly streaming: Streaming;
  /** As the live channel last told it; null before its first frame. */
  readonly status: SessionStatus | null;
  readonly statusDetail: string | null;
  /** The stages that the latest boot has completed. */
  readonly bootStages: readonly BootStage[];
  /** What people should know about the latest boot. */
  readonly sandboxWarnings: readonly SandboxWarning[];
  /** The model is overloaded and the agent tries again. */
  readonly retrying: { readonly attempt: number; readonly detail: string } | null;
  readonly queued: readonly QueuedPrompt[];
  /** How the latest prompt ended, until another one is sent. */
  readonly ended: { readonly outcome: PromptOutcome; readonly failure: Failure | null } | null;
  readonly invocations: readonly KnownInvocation[];
  /** The latest trial of the services that was told of; null for none. */
  readonly serviceTrial: ServiceTrial | null;
  /** How often the agent has asked people for values, or may have, since the page was opened. */
  readonly envRequestsTold: number;
  /** A problem that the live channel reported about itself. */
  readonly channelProblem: string | null;
}

export type SessionAction =
  | { readonly type: "frame_received"; readonly frame: ServerFrame }
  /** The transcript from the read model; it yields to whatever the live channel has said. */
  | { readonly type: "transcript_loaded"; readonly messages: readonly ShownMessage[] }
  | { readonly type: "invocations_loaded"; readonly invocations: readonly InvocationView[] }
  /** The session from the read model, which knows how many prompts are still open. */
  | { readonly type: "session_read"; readonly openPrompts: number }
  /** The open prompts of everybody. */
  | { readonly type: "prompts_read"; readonly prompts: readonly OpenPromptView[] }
  | { readonly type: "prompt_sent"; readonly promptId: PromptId; readonly text: string };

export const initialSessionState: SessionState = {
  messages: [],
  streaming: [],
  status: null,
  statusDetail: null,
  bootStages: [],
  sandboxWarnings: [],
  retrying: null,
  queued: [],
  ended: null,
  invocations: [],
  serviceTrial: null,
  envRequestsTold: 0,
  channelProblem: null,
};

export const sessionReducer = (state: SessionState, action: SessionAction): SessionState => {
  switch (action.type) {
    case "frame_received":
      return foldFrame(state, action.frame);
    case "transcript_loaded":
      return state.status === null ? withTranscript(state, action.messages) : state;
    case "invocations_loaded":
      return { ...state, invocations: mergeInvocations(state.invocations, action.invocations) };
    case "session_read":
      // A prompt that was dropped before its turn is not told of; nothing waits when nothing is open.
      return action.openPrompts === 0 && state.queued.length > 0 ? { ...state, queued: [] } : state;
    case "prompts_read":
      return { ...state, queued: notYetIn(state.messages, toBeAnswered(action.prompts)) };
    case "prompt_sent":
      return isKnownPrompt(state, action.promptId)
        ? state
        : {
            ...state,
            ended: null,
            queued: [
              ...state.queued,
              { promptId: action.promptId, text: action.text, waits: false },
            ],
          };
  }
};

const foldFrame = (state: SessionState, frame: ServerFrame): SessionState => {
  switch (frame.type) {
    case "init":
      return {
        ...withTranscript(state, frame.messages),
        streaming: frame.streaming,
        status: frame.status,
        statusDetail: null,
        bootStages: isBooting(frame.status) ? state.bootStages : [],
        retrying: null,
        serviceTrial: null,
        // Whatever was told while nobody listened is in no frame.
        envRequestsTold: state.envRequestsTold + 1,
        channelProblem: null,
      };
    case "resumed":
      return { ...state, channelProblem: null };
    case "live":
      return foldLive(
        { ...state, streaming: foldStreaming(state.streaming, frame.message) },
        frame.message,
      );
    case "error":
      return { ...state, channelProblem: frame.detail };
    case "status":
      return { ...state, status: frame.status };
    // Answers to what this page does not ask for here: it sends its requests over HTTP.
    case "pong":
    case "presence":
    case "accepted":
    case "refused":
    case "git_status":
    case "git_result":
      return state;
  }
};

const foldLive = (state: SessionState, message: LiveMessage): SessionState => {
  switch (message.type) {
    case "status":
      return {
        ...state,
        status: message.status,
        statusDetail: message.detail,
        // A new boot begins; the stages of the one before say nothing about it.
        bootStages:
          message.status === "starting" && state.status !== "starting" ? [] : state.bootStages,
        sandboxWarnings: message.status === "starting" ? [] : state.sandboxWarnings,
        // A trial ends with its sandbox, and nobody says so.
        serviceTrial: message.status === "running" ? state.serviceTrial : null,
      };
    case "boot_stage":
      return { ...state, bootStages: putStage(state.bootStages, message) };
    case "sandbox_warning":
      return { ...state, sandboxWarnings: [...state.sandboxWarnings, message.warning] };
    case "token":
    case "tool":
    case "parts_dropped":
      return { ...state, retrying: null };
    case "message":
      return {
        ...withTranscript(state, putMessage(state.messages, message.message)),
        retrying: null,
      };
    case "prompt_finished":
      return {
        ...state,
        retrying: null,
        queued: state.queued.filter(({ promptId }) => promptId !== message.promptId),
        ended: { outcome: message.outcome, failure: message.failure },
      };
    case "retrying":
      return { ...state, retrying: { attempt: message.attempt, detail: message.detail } };
    case "env_variables_requested":
      return { ...state, envRequestsTold: state.envRequestsTold + 1 };
    // Who has asked for it is told elsewhere.
    case "snapshot_result":
      return state;
    case "auto_start_output":
    case "auto_start_finished":
      return { ...state, serviceTrial: foldTrial(state.serviceTrial, message) };
    case "action_approval_request":
    case "action_updated":
      return { ...state, invocations: foldInvocation(state.invocations, message) };
  }
};

/** Prompts that the transcript has are no longer waiting to appear in it. */
const withTranscript = (state: SessionState, messages: readonly ShownMessage[]): SessionState => ({
  ...state,
  messages,
  ended:
    messages.length > state.messages.length && messages.at(-1)?.role === "user"
      ? null
      : state.ended,
  queued: notYetIn(messages, state.queued),
});

const notYetIn = (
  messages: readonly ShownMessage[],
  prompts: readonly QueuedPrompt[],
): readonly QueuedPrompt[] => prompts.filter(({ promptId }) => !isPromptIn(messages, promptId));

/** One that was taken back stays open until the runner comes to it; to people it is gone. */
const toBeAnswered = (prompts: readonly OpenPromptView[]): readonly QueuedPrompt[] =>
  prompts
    .filter(({ status }) => status !== "cancelling")
    .map(({ promptId, text, author, status }) => ({
      promptId,
      text,
      author,
      waits: status === "queued",
    }));

/** A message that is recorded again replaces the earlier one where it stood. */
const putMessage = (
  messages: readonly ShownMessage[],
  message: ShownMessage,
): readonly ShownMessage[] =>
  messages.some(({ id }) => id === message.id)
    ? messages.map((other) => (other.id === message.id ? message : other))
    : [...messages, message];

const putStage = (
  stages: readonly BootStage[],
  { stage, ms, phase, outcome, detail }: BootStage,
): readonly BootStage[] => [
  ...stages.filter((other) => other.stage !== stage),
  { stage, ms, phase, outcome, detail },
];

const isPromptIn = (messages: readonly ShownMessage[], promptId: string): boolean =>
  messages.some(
    ({ role, id, promptId: of }) => role === "user" && (id === promptId || of === promptId),
  );

const isKnownPrompt = (state: SessionState, promptId: string): boolean =>
  isPromptIn(state.messages, promptId) ||
  state.queued.some((queued) => queued.promptId === promptId);
