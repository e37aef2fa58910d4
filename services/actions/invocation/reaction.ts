import type { InvocationId, OrganizationId } from "#contracts/ids";
import type { InvocationEvent } from "#contracts/invocation/events";
import { type CommandMeta, newCommandMeta } from "#event-store/command-meta";
import { eventsOf } from "#event-store/aggregates/load";
import type { RecordedCommit } from "#event-store/reading/recorded";
import type { InvocationKey } from "./invocation-log.ts";

/** The invocation that a commit of the aggregate type `invocation` belongs to. */
export const keyOf = ({ ref }: RecordedCommit): InvocationKey => ({
  organization: ref.organization as OrganizationId,
  id: ref.id as InvocationId,
});

/** The events of such a commit. */
export const invocationEventsOf = (recorded: RecordedCommit): readonly InvocationEvent[] =>
  eventsOf(recorded) as readonly InvocationEvent[];

/** The meta of a command that a reactor issues because of a commit. */
export const reactionMeta = (
  recorded: RecordedCommit,
  reactor: string,
  commandId?: string,
): CommandMeta =>
  newCommandMeta({
    actor: { kind: "service", id: reactor, via: "reactor" },
    causationId: recorded.commit.meta.commandId,
    correlationId: recorded.commit.meta.correlationId,
    trace: recorded.trace,
    ...(commandId !== undefined && { commandId }),
  });

/** The event by which a commit leaves its invocation waiting for a person; null if it does not. */
export const approvalRequestOf = (
  recorded: RecordedCommit,
): Extract<InvocationEvent, { type: "ActionInvoked" }>["data"] | null => {
  const events = invocationEventsOf(recorded);
  const [only] = events;
  return events.length === 1 && only?.type === "ActionInvoked" ? only.data : null;
};
