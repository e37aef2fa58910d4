import { formatPosition } from "#event-store/position";
import type { RecordedCommit } from "#event-store/reading/recorded";
import { streamOf } from "#event-store/sharding";
import { messagingAttributes } from "#event-store/tracing/commit-attributes";
import { inSpan, isRecorded, type Tracing } from "#event-store/tracing/tracing";
import type { BatchTarget, PlannedBatch } from "./project-batch.ts";

/** A batch of five hundred commits may belong to as many traces: nobody follows all of them. */
const mostLinks = 32;

interface WrittenBatch {
  readonly target: Pick<BatchTarget, "shard" | "models">;
  readonly batch: Pick<PlannedBatch, "from" | "to">;
  readonly recorded: readonly Pick<RecordedCommit, "trace">[];
}

/**
 * Writes a batch within a span, if some of its commits are part of traces that are recorded. It belongs to all of these alike, so
 * that it is linked to them, as OpenTelemetry's conventions for messaging have it, and a trace of its own.
 */
export const inBatchSpan = (
  tracing: Tracing | null,
  { target: { shard, models }, batch: { from, to }, recorded }: WrittenBatch,
  write: () => Promise<void>,
): Promise<void> => {
  if (tracing === null) return write();
  const traces = recorded
    .slice(0, to - from)
    .flatMap(({ trace }) => (trace !== undefined && isRecorded(trace) ? [trace] : []));
  if (traces.length === 0) return write();
  const options = {
    name: `process ${streamOf(shard)}`,
    kind: "consumer",
    links: traces.slice(0, mostLinks),
    attributes: {
      ...messagingAttributes("process", streamOf(shard)),
      "messaging.consumer.group.name": "projector",
      "messaging.batch.message_count": to - from,
      "proliferate.read_models": models.map(({ projection }) => projection.name).join(","),
      "proliferate.position": formatPosition(shard, to),
    },
  } as const;
  return inSpan(tracing, options, write);
};
