/**
 * The end of the prompt that was answered last, for watchers whom nobody may have told: its owner may have died
 * between recording it and telling them. Whoever has been told is not told twice
 * (`services/fanout/watched-session/told-ends.ts`).
 */
import type { LiveMessage } from "#contracts/live/messages";
import { eventsOf } from "#event-store/aggregates/load";
import type { EventStore } from "#event-store/event-store";
import { type LiveKey, publishLive } from "#event-store/live/live-channel";
import type { RecordedCommit } from "#event-store/reading/recorded";
import type { SessionState } from "../sessions/aggregate/state.ts";

/** What those who watch are to be told of it; null where no prompt was answered yet. */
export const lastEndMessage = (
  state: SessionState,
): Extract<LiveMessage, { type: "prompt_finished" }> | null =>
  state.status === "none" || state.lastEnd === null
    ? null
    : { type: "prompt_finished", ...state.lastEnd };

/**
 * Tells it if the prompt was asked with this very commit; the ends before it were told by whoever went on with
 * the next prompt. Only for a session in which nobody answers anything.
 *
 * @throws when it could not be told
 */
export const tellLastEndOf = async (
  store: EventStore,
  key: LiveKey,
  { asked, state }: { readonly asked: RecordedCommit; readonly state: SessionState },
): Promise<void> => {
  const message = lastEndMessage(state);
  if (message === null) return;
  const isAskedHere = eventsOf(asked).some(
    ({ type, data }) => type === "PromptQueued" && data.promptId === message.promptId,
  );
  if (isAskedHere) await publishLive(store, key, message);
};
