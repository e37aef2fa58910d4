import type { RecordedCommit } from "../reading/recorded.ts";
import { streamOf } from "../sharding.ts";
import { commitAttributes, messagingAttributes } from "../tracing/commit-attributes.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { Handled } from "./work-message.ts";
import { inWorkSpan } from "./work-span.ts";

/**
 * Has a reactor handle a commit, within a span if the commit is part of a trace. One message is handled at a
 * time, so its span is a child of what has published it, and the whole is one trace.
 *
 * @param react is given the commit as part of this span
 */
export const inReactionSpan = (
  tracing: Tracing | null,
  { reactor, attempt }: { readonly reactor: string; readonly attempt: number },
  recorded: RecordedCommit,
  react: (recorded: RecordedCommit) => Promise<Handled>,
): Promise<Handled> => {
  if (tracing === null || recorded.trace === undefined) return react(recorded);
  const { ref, shard, position, commit, trace: parent } = recorded;
  const attributes = {
    ...messagingAttributes("process", streamOf(shard)),
    ...commitAttributes(ref, commit.meta),
    "messaging.consumer.group.name": reactor,
    "proliferate.position": position,
  };
  const options = { name: `process ${reactor}`, kind: "consumer", parent, attributes } as const;
  return inWorkSpan(tracing, attempt, options, (trace) => react({ ...recorded, trace }));
};
