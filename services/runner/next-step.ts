/** What an owner has to do next, from the session's state alone. Pure. */
import {
  maxIdlePauseFailures,
  type OpenPrompt,
  type SessionState,
  type SnapshotRequest,
} from "../sessions/aggregate/state.ts";

export type Step =
  | { readonly kind: "bring_up" }
  | { readonly kind: "answer"; readonly prompt: OpenPrompt }
  | { readonly kind: "drop_prompt"; readonly prompt: OpenPrompt }
  | { readonly kind: "snapshot"; readonly request: SnapshotRequest }
  | { readonly kind: "pause"; readonly idle: boolean }
  /** Nobody uses the session, and its sandbox cannot be put away. */
  | { readonly kind: "end_idle_sandbox" }
  /** The present sandbox ends soon: another one is to take its place. */
  | { readonly kind: "migrate" }
  /** There are sandboxes that are not the session's, or not any more. */
  | { readonly kind: "end_spares"; readonly spares: readonly number[] }
  | { readonly kind: "tear_down" }
  /** The services are being tried beside everything else. */
  | { readonly kind: "try_services" }
  | { readonly kind: "wait" }
  /** There is nothing to own: the session is put away until somebody asks for it. */
  | { readonly kind: "leave" };

export interface OwnersView {
  /** Whether this owner has brought the sandbox up itself. */
  readonly sandboxHeld: boolean;
  /** Whether the provider has just failed to end a spare sandbox: nothing else waits for that. */
  readonly sparesPutOff: boolean;
}

export const nextStep = (state: SessionState, { sandboxHeld, sparesPutOff }: OwnersView): Step => {
  if (state.status === "none") {
    return { kind: "leave" };
  }
  if (state.status === "stopped") {
    return { kind: "tear_down" };
  }
  const { spares } = state;
  if (spares.length > 0 && !sparesPutOff) {
    return { kind: "end_spares", spares };
  }
  if (state.pause === "requested") {
    const { idlePause } = state;
    return idlePause !== null && idlePause.failures >= maxIdlePauseFailures
      ? { kind: "end_idle_sandbox" }
      : { kind: "pause", idle: idlePause !== null };
  }
  if (state.status === "paused" || state.status === "failed" || state.deferred) {
    return { kind: "leave" };
  }
  const [prompt] = state.prompts;
  const dropped = promptToDrop(state);
  if (dropped) {
    return { kind: "drop_prompt", prompt: dropped };
  }
  if (!sandboxHeld || !hasSandbox(state)) {
    return { kind: "bring_up" };
  }
  if (state.status === "migrating") {
    return { kind: "migrate" };
  }
  const [request] = state.snapshotRequests;
  if (request) {
    return { kind: "snapshot", request };
  }
  if (prompt) {
    return { kind: "answer", prompt };
  }
  return state.serviceTrial ? { kind: "try_services" } : { kind: "wait" };
};

/** The first that was taken back before the agent had it; null for none. */
export const promptToDrop = (state: SessionState): OpenPrompt | null =>
  (state.status !== "none" &&
    state.prompts.find(({ cancelRequested, begun }) => cancelRequested && !begun)) ||
  null;

/** Whether some runner has to own the session now, and not only when somebody asks for it. */
export const needsOwner = (state: SessionState): boolean => {
  const { kind } = nextStep(state, { sandboxHeld: hasSandbox(state), sparesPutOff: false });
  return kind !== "leave" && kind !== "wait";
};

const hasSandbox = ({ status }: SessionState): boolean =>
  status === "running" || status === "migrating";
