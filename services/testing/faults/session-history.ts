/** What the log says of a session: its prompts, its owners, and who wrote when. */
import type { OrganizationId, PromptId, SessionId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { eventsOf } from "#event-store/aggregates/load";
import { readAggregate } from "#event-store/reading/read-aggregate";
import type { SessionEvent } from "#contracts/session/events";
import type { TranscriptEvent } from "#contracts/transcript/events";

export interface SessionHistory {
  /** In the order in which they were accepted. */
  readonly prompts: readonly PromptId[];
  /** The prompt of each turn that has ended, as often as it has. */
  readonly finished: readonly PromptId[];
  /** The epoch of each owner, in their order. */
  readonly epochs: readonly number[];
  /** What was written by one who was not the owner any more, or not yet. */
  readonly strays: readonly string[];
}

export const readHistory = async (
  store: EventStore,
  { organization, session }: { readonly organization: OrganizationId; readonly session: SessionId },
): Promise<SessionHistory> => {
  const prompts: PromptId[] = [];
  const finished: PromptId[] = [];
  const epochs: number[] = [];
  const strays: string[] = [];
  let claimed = 0;
  for (const { sequence, event } of await eventsInOrder(store, { organization, session })) {
    const owner = epochs.at(-1) ?? 0;
    const epoch = "epoch" in event.data ? event.data.epoch : owner;
    const stray = (): unknown =>
      strays.push(`${sequence}: ${event.type} of ${epoch}, not ${owner} (claimed: ${claimed})`);
    if (event.type === "OwnershipAcquired") {
      if (epoch <= owner || epoch !== claimed) stray();
      epochs.push(epoch);
    } else if (event.type === "TranscriptClaimed") {
      if (epoch <= claimed) stray();
      claimed = epoch;
    } else if (epoch !== owner || (event.type === "MessageRecorded" && epoch !== claimed)) {
      stray();
    }
    if (event.type === "PromptQueued") prompts.push(event.data.promptId);
    if (event.type === "PromptFinished") finished.push(event.data.promptId);
  }
  return { prompts, finished, epochs, strays };
};

interface Recorded {
  readonly sequence: number;
  readonly event: SessionEvent | TranscriptEvent;
}

/** Both aggregates of a session are in one stream, whose sequences say what came first. */
const eventsInOrder = async (
  store: EventStore,
  { organization, session }: { readonly organization: OrganizationId; readonly session: SessionId },
): Promise<readonly Recorded[]> => {
  const recorded: Recorded[] = [];
  for (const aggregate of ["session", "transcript"] as const) {
    for await (const commit of readAggregate(store, { organization, aggregate, id: session })) {
      const events = eventsOf(commit) as readonly (SessionEvent | TranscriptEvent)[];
      recorded.push(...events.map((event) => ({ sequence: commit.sequence, event })));
    }
  }
  return recorded.sort((a, b) => a.sequence - b.sequence);
};
