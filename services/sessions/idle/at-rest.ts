import type { PromptId } from "#contracts/ids";
import type { ExistingSession, SessionState } from "../aggregate/state.ts";

/** The newest prompt that was answered, by which it is seen that others were answered since. */
export const lastAnswered = ({ finished }: ExistingSession): PromptId | null =>
  finished.at(-1)?.promptId ?? null;

/** Whether the session has a sandbox and no work for it, and had none since the prompt `after`. */
export const isAtRest = (state: SessionState, after: PromptId | null): boolean =>
  state.status === "running" &&
  state.pause !== "requested" &&
  state.prompts.length === 0 &&
  state.snapshotRequests.length === 0 &&
  state.serviceTrial === null &&
  lastAnswered(state) === after;
