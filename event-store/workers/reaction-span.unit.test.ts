import { expect, it } from "vitest";
import { genesisHash } from "#contracts/commit";
import { newId } from "#contracts/ids";
import { newCommandMeta } from "../command-meta.ts";
import { formatPosition } from "../position.ts";
import type { RecordedCommit } from "../reading/recorded.ts";
import { keepSpans } from "../tracing/testing/kept-spans.ts";
import { inReactionSpan } from "./reaction-span.ts";
import type { Handled } from "./work-message.ts";

const trace = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
const actor = { kind: "service", id: "test", via: "test" } as const;
const { trace: _trace, ...meta } = newCommandMeta({ actor });
const recorded: RecordedCommit = {
  ref: { organization: newId("organization"), aggregate: "session", id: newId("session") },
  shard: 0,
  sequence: 7,
  position: formatPosition(0, 7),
  commit: { v: 1, events: [], meta: { ...meta, prev: genesisHash } },
  hash: genesisHash,
  trace,
};

/** The spans of a reactor that answers so at this attempt. */
const spansOf = async (attempt: number, react: () => Promise<Handled>) => {
  const tracing = keepSpans();
  const handling = inReactionSpan(tracing, { reactor: "test", attempt }, recorded, react);
  await handling.catch(() => undefined); // What becomes of it is the caller's.
  return tracing.spans.filter(({ ended }) => ended);
};

it("is a child of what has published the commit, and the parent of what the reactor does", async () => {
  const tracing = keepSpans();
  const seen: (string | undefined)[] = [];
  await inReactionSpan(tracing, { reactor: "test", attempt: 1 }, recorded, (given) => {
    seen.push(given.trace);
    return Promise.resolve();
  });
  expect(tracing.spans).toMatchObject([
    {
      parent: trace,
      ended: true,
      attributes: {
        "messaging.consumer.group.name": "test",
        "proliferate.session": recorded.ref.id,
        "proliferate.command": meta.commandId,
        "proliferate.position": "0:7",
      },
    },
  ]);
  expect(seen).toEqual([tracing.spans[0]?.traceparent]);
});

it("is not shown for a repetition that only asks to be called later, but for a failed one", async () => {
  const later = () => Promise.resolve({ retryInMs: 1 });
  expect(await spansOf(1, later)).toHaveLength(1);
  expect(await spansOf(2, later)).toHaveLength(0);
  expect(await spansOf(3, () => Promise.resolve())).toHaveLength(1);
  const failed = await spansOf(4, () => Promise.reject(new Error("It cannot be done.")));
  expect(failed).toMatchObject([{ failures: [{ message: "It cannot be done." }] }]);
});

it("is none for a commit that is part of no trace", async () => {
  const tracing = keepSpans();
  const { trace: _none, ...plain } = recorded;
  await inReactionSpan(tracing, { reactor: "test", attempt: 1 }, plain, () => Promise.resolve());
  expect(tracing.spans).toEqual([]);
});
