import type { ShownMessage } from "#contracts/transcript/view";
import type { MessageView } from "#contracts/transcript/view";

/**
 * The transcript as a client has to see it, when the read model may be a little behind the live
 * channel: whole messages that were already sent live are put into it, since they will not be sent
 * again. A message that both have is taken as it was sent. `now` (ISO) stands in for the time of those
 * that the read model does not know yet.
 */
export const mergeTranscript = (
  transcript: readonly MessageView[],
  sent: readonly ShownMessage[],
  now: string,
): MessageView[] => {
  const newest = new Map(sent.map((message) => [message.id, message]));
  const merged = transcript.map((view) => {
    const message = newest.get(view.id);
    newest.delete(view.id);
    return message ? { ...view, ...message } : view;
  });
  let index = (transcript.at(-1)?.index ?? -1) + 1;
  for (const message of newest.values()) {
    merged.push({ ...message, index, at: now });
    index += 1;
  }
  return merged;
};
