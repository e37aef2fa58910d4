/** Prompts that were taken back before the agent had them. */
import { loadSession } from "../sessions/session-log.ts";
import type { OpenPrompt } from "../sessions/aggregate/state.ts";
import { finishPrompt } from "./agent/finish-prompt.ts";
import type { Bell } from "./bell.ts";
import { promptToDrop } from "./next-step.ts";
import type { OwnerContext } from "./owner-context.ts";
import { isStale } from "./sandbox/bring-up.ts";

/** @throws DomainError `stale_owner` */
export const dropPrompt = (context: OwnerContext, { promptId }: OpenPrompt): Promise<void> =>
  finishPrompt(context, promptId, { outcome: "cancelled", failure: null });

export interface Meanwhile<Result> {
  readonly work: Promise<Result>;
  /** Rings when something new about the session may be in the log. */
  readonly bell: Bell;
  readonly signal: AbortSignal;
}

/** Drops them while the owner is at something that may take minutes. Fails as the work does. */
export const droppingMeanwhile = async <Result>(
  context: OwnerContext,
  { work, bell, signal }: Meanwhile<Result>,
): Promise<Result> => {
  const { deps, session } = context;
  const done = new AbortController();
  const over = AbortSignal.any([signal, done.signal]);
  const dropping = (async () => {
    for (;;) {
      await bell.wait(over);
      if (over.aborted) return;
      for (let dropped = true; dropped;) {
        const prompt = promptToDrop(await loadSession(deps.store, context));
        if (prompt) await dropPrompt(context, prompt);
        dropped = prompt !== null;
      }
    }
  })().catch((error: unknown) => {
    // The work meets the same, or the owner drops them afterwards.
    if (!isStale(error)) deps.log.warn({ err: error, sessionId: session }, "a prompt waits on");
  });
  try {
    return await work;
  } finally {
    done.abort();
    await dropping;
    // What it was rung for may have been more than that.
    bell.ring();
  }
};
