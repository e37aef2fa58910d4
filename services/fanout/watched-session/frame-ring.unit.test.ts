import { describe, expect, it } from "vitest";
import { FrameRing } from "./frame-ring.ts";
import { type LiveFrame, makeFrame } from "../frame.ts";

const token = (seq: number) => ({
  seq,
  message: {
    type: "token" as const,
    kind: "text" as const,
    messageId: "m1",
    partId: "p1",
    delta: `<${String(seq)}>`,
  },
});
const ringOf = (seqs: readonly (readonly number[])[], maxFrames = 100, maxBytes = 1_000_000) => {
  const ring = new FrameRing({ maxFrames, maxBytes });
  for (const sources of seqs) ring.push(makeFrame(sources.map(token)));
  return ring;
};
const read = (frames: readonly LiveFrame[] | null) =>
  frames?.map(({ seq, message }) => [seq, message.type === "token" ? message.delta : null]) ?? null;

describe("frame ring", () => {
  it("gives exactly what came after a point, cutting a merged frame where it must", () => {
    const ring = ringOf([[3], [5, 6, 9], [10]]);
    expect(read(ring.resume(3))).toEqual([
      [9, "<5><6><9>"],
      [10, "<10>"],
    ]);
    expect(read(ring.resume(6))).toEqual([
      [9, "<9>"],
      [10, "<10>"],
    ]);
    expect(ring.resume(6)?.[0]?.data.toString()).toContain('"delta":"<9>"');
    expect(read(ring.resume(10))).toEqual([]);
  });

  it("resumes nothing that it cannot vouch for", () => {
    expect(ringOf([]).resume(0)).toBeNull();
    expect(ringOf([[3], [4]]).resume(2)).toBeNull(); // Something before 3 may have expired.
    expect(ringOf([[3], [4]]).resume(5)).toBeNull(); // The client has seen another history.
  });

  it("knows everything since a point of its own, even before the first frame", () => {
    const ring = ringOf([]);
    const { lastSeq } = ring;
    ring.push(makeFrame([token(8)]));
    expect(read(ring.since(lastSeq))).toEqual([[8, "<8>"]]);
  });

  it("forgets the oldest beyond its bounds, and says so", () => {
    const byCount = ringOf([[1], [2], [3], [4]], 2);
    expect(byCount.since(1)).toBeNull();
    expect(byCount.resume(1)).toBeNull();
    expect(read(byCount.resume(2))).toEqual([
      [3, "<3>"],
      [4, "<4>"],
    ]);
    const bytes = makeFrame([token(1)]).data.length;
    const byBytes = ringOf([[1], [2], [3]], 100, bytes * 2);
    expect(byBytes.frames.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(ringOf([[1], [2]], 100, 1).frames.map(({ seq }) => seq)).toEqual([2]);
  });
});
