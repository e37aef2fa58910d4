import type { AggregateRef } from "#contracts/commit";
import type { CommandMeta } from "../command-meta.ts";
import type { EventStore } from "../event-store.ts";
import { formatPosition } from "../position.ts";
import { shardOf, streamOf } from "../sharding.ts";
import { commitAttributes, messagingAttributes } from "../tracing/commit-attributes.ts";
import { inSpan, type Traceparent } from "../tracing/tracing.ts";
import type { Appended } from "./append.ts";

/**
 * Appends within a span, if the command is part of a trace.
 * @param append is given what the header of the message is to say
 */
export const inAppendSpan = (
  { tracing, shards }: EventStore,
  { ref, meta }: { readonly ref: AggregateRef; readonly meta: CommandMeta },
  append: (trace: Traceparent | undefined) => Promise<Appended>,
): Promise<Appended> => {
  // tens of thousands come by each second: those without a trace must not notice any of this
  if (tracing === null || meta.trace === undefined) return append(meta.trace);
  const stream = streamOf(shardOf(ref.organization, shards));
  const options = {
    name: `publish ${stream}`,
    kind: "producer",
    parent: meta.trace,
    attributes: { ...messagingAttributes("publish", stream), ...commitAttributes(ref, meta) },
  } as const;
  return inSpan(tracing, options, async (span) => {
    const appended = await append(span.traceparent);
    span.set({
      "proliferate.position": formatPosition(appended.shard, appended.sequence),
      "messaging.message.body.size": appended.bytes,
    });
    return appended;
  });
};
