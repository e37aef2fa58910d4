import type { OpenPrompt, SessionState } from "../sessions/aggregate/state.ts";
import { readTranscript } from "./agent/memory.ts";
import { withAuthor } from "./agent/name-author.ts";
import type { OwnerContext } from "./owner-context.ts";
import { lastEndMessage } from "./untold.ts";

/**
 * Makes this owner the one that counts. An earlier one may still believe that it has the session, for instance
 * because its machine was suspended, and its clock with it. So the transcript comes first: as soon as the log
 * names a new owner, whatever the earlier one says is refused, and what it has said before is there for the
 * new one to read.
 *
 * @throws DomainError `stale_owner`
 */
export const takeOver = async (context: OwnerContext): Promise<void> => {
  const { claimTranscript, command, epoch, deps } = context;
  const { digests } = await claimTranscript();
  const state = await command({ type: "AcquireOwnership", instance: deps.instance, epoch });
  const open = openPrompts(state);
  const begun = open.filter(({ promptId }) => Object.hasOwn(digests, promptId));
  await tellRecorded(context, begun);
  if (begun.length === 0 && open.length > 0) {
    // Who has begun a prompt has also told how the one before it ended; here nobody may have.
    const lastEnd = lastEndMessage(state);
    if (lastEnd) context.tell(lastEnd);
  }
};

/**
 * An earlier owner may have died after it had recorded a message, and before those who watch were told. What is
 * recorded of the answers that are under way is told again; a message that they have takes its own place.
 */
export const tellRecorded = async (
  context: OwnerContext,
  prompts: readonly Pick<OpenPrompt, "promptId" | "by">[],
): Promise<void> => {
  if (prompts.length === 0) return;
  const askers = new Map<string | null, string>(prompts.map(({ promptId, by }) => [promptId, by]));
  for (const message of await readTranscript(context.deps.store, context)) {
    const by = askers.get(message.promptId);
    if (by === undefined) continue;
    const shown = message.role === "user" ? await withAuthor(context, message, by) : message;
    context.tell({ type: "message", message: shown });
  }
};

const openPrompts = (state: SessionState): readonly OpenPrompt[] =>
  state.status === "none" ? [] : state.prompts;
