import type { PromptId } from "#contracts/ids";
import type { WakeCause } from "#event-store/live/owner-requests";
import { inSpan, type Traceparent } from "#event-store/tracing/tracing";
import { createOwnerContext, type OwnerContext } from "../owner-context.ts";
import type { PromptEnd } from "../../sessions/aggregate/state.ts";

/** The traces in which prompts were asked, as an owner hears of them: its state knows of no traces. */
export interface PromptTraces {
  /** Takes note of what the owner was woken for. */
  note(cause: WakeCause | null): void;
  /** The trace of a prompt, if anybody has told. */
  of(promptId: string): Traceparent | undefined;
}

/** More than a session may have queued; the oldest were answered long ago. */
const mostRemembered = 100;

export const rememberPromptTraces = (): PromptTraces => {
  const traces = new Map<string, Traceparent>();
  return {
    note: (cause) => {
      for (const promptId of cause?.prompts ?? []) {
        if (cause !== null && !traces.has(promptId)) traces.set(promptId, cause.trace);
      }
      for (const oldest of traces.keys()) {
        if (traces.size <= mostRemembered) break;
        traces.delete(oldest);
      }
    },
    of: (promptId) => traces.get(promptId),
  };
};

/**
 * Has a prompt answered within a span. A turn may take hours, and wait for others before: it is a trace of its
 * own, linked to that in which the prompt was asked.
 *
 * @param answer is given the owner's context, whose commands are part of the turn
 */
export const inTurnSpan = async (
  context: OwnerContext,
  { promptId, traces }: { readonly promptId: PromptId; readonly traces: PromptTraces },
  answer: (context: OwnerContext) => Promise<PromptEnd | "interrupted">,
): Promise<void> => {
  const { organization, session, epoch, deps } = context;
  const asked = traces.of(promptId);
  const options = {
    name: "answer prompt",
    kind: "internal",
    links: asked === undefined ? [] : [asked],
    attributes: {
      "proliferate.organization": organization,
      "proliferate.session": session,
      "proliferate.prompt": promptId,
      "proliferate.epoch": epoch,
    },
  } as const;
  await inSpan(deps.store.tracing, options, async (span) => {
    const { traceparent } = span;
    const end = await answer(
      createOwnerContext(deps, { organization, session, epoch }, traceparent),
    );
    span.set(
      end === "interrupted"
        ? { "proliferate.outcome": end }
        : { "proliferate.outcome": end.outcome, "error.type": end.failure?.code },
    );
  });
};
