import { expect, it } from "vitest";
import { keepSpans } from "#event-store/tracing/testing/kept-spans";
import { inBatchSpan } from "./batch-span.ts";

const traceOf = (number: number, flags = "01"): string =>
  `00-${"ab".repeat(16)}-${String(number).padStart(16, "0")}-${flags}`;

/** The links of the span of a batch with these traces; null if there was none. */
const linksOf = async (traces: readonly (string | undefined)[], written = traces.length) => {
  const tracing = keepSpans();
  const recorded = traces.map((trace) => ({ trace }));
  const target = { shard: 0, models: [] };
  const batch = { from: 10, to: 10 + written };
  await inBatchSpan(tracing, { target, batch, recorded }, () => Promise.resolve());
  return tracing.spans[0]?.links ?? null;
};

it("links to the recorded traces of what is written, and to no more than 32", async () => {
  const [one, two] = [traceOf(1), traceOf(2)];
  expect(await linksOf([one, undefined, traceOf(3, "00"), two])).toEqual([one, two]);
  expect(await linksOf([one, two], 1)).toEqual([one]);
  const many = Array.from({ length: 500 }, (_, index) => traceOf(index));
  expect(await linksOf(many)).toEqual(many.slice(0, 32));
});

it("is none where nothing is recorded: a log that is read anew is not followed for each batch", async () => {
  expect(await linksOf([undefined, undefined])).toBeNull();
  expect(await linksOf([traceOf(1, "00")])).toBeNull();
});
