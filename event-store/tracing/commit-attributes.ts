import type { AggregateRef } from "#contracts/commit";
import type { CommandMeta } from "../command-meta.ts";
import type { SpanAttributes } from "./tracing.ts";

/** The aggregates that have the id of their session. */
const ofSessions = new Set<AggregateRef["aggregate"]>(["session", "transcript", "tool_calls"]);

/** What spans say of a commit, apart from where it stands. */
export const commitAttributes = (
  { organization, aggregate, id }: AggregateRef,
  { commandId }: Pick<CommandMeta, "commandId">,
): SpanAttributes => ({
  "proliferate.organization": organization,
  "proliferate.aggregate": aggregate,
  "proliferate.aggregate.id": id,
  "proliferate.session": ofSessions.has(aggregate) ? id : undefined,
  "proliferate.command": commandId,
});

/**
 * What spans say of a message, by OpenTelemetry's semantic conventions for messaging.
 * @param operation `publish` and `process` are the API's names; their types are `send` and `process`
 */
export const messagingAttributes = (
  operation: "publish" | "process",
  stream: string,
): SpanAttributes => ({
  "messaging.system": "nats",
  "messaging.destination.name": stream,
  "messaging.operation.name": operation,
  "messaging.operation.type": operation === "publish" ? "send" : operation,
});
