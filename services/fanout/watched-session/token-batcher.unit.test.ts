import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Received } from "../frame.ts";
import { TokenBatcher } from "./token-batcher.ts";

const token = (seq: number, partId = "p1"): Received => ({
  seq,
  message: { type: "token", kind: "text", messageId: "m1", partId, delta: `${String(seq)} ` },
});
const status = (seq: number): Received => ({
  seq,
  message: { type: "status", status: "running", detail: null },
});

describe("token batcher", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const start = () => {
    const emitted: number[][] = [];
    const batcher = new TokenBatcher({
      windowMs: 50,
      emit: (sources) => emitted.push(sources.map(({ seq }) => seq)),
    });
    return { batcher, emitted };
  };

  it("sends the first token at once and merges those of the next 50 ms, window after window", () => {
    const { batcher, emitted } = start();
    batcher.push(token(1));
    expect(emitted).toEqual([[1]]);
    batcher.push(token(2));
    vi.advanceTimersByTime(49);
    batcher.push(token(3));
    expect(emitted).toEqual([[1]]);
    vi.advanceTimersByTime(1);
    expect(emitted).toEqual([[1], [2, 3]]);
    batcher.push(token(4));
    vi.advanceTimersByTime(49);
    expect(emitted).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(emitted).toEqual([[1], [2, 3], [4]]);
  });

  it("sends a token at once again after a silent window", () => {
    const { batcher, emitted } = start();
    batcher.push(token(1));
    vi.advanceTimersByTime(50);
    batcher.push(token(2));
    expect(emitted).toEqual([[1], [2]]);
  });

  it("never changes the order: anything else ends the window", () => {
    const { batcher, emitted } = start();
    for (const received of [
      token(1),
      token(2),
      token(3, "p2"),
      token(4, "p2"),
      status(5),
      token(6),
    ]) {
      batcher.push(received);
    }
    expect(emitted).toEqual([[1], [2], [3], [4], [5], [6]]);
  });

  it("emits what waits when asked to, once", () => {
    const { batcher, emitted } = start();
    batcher.push(token(1));
    batcher.push(token(2));
    batcher.flush();
    batcher.endWindow();
    vi.advanceTimersByTime(200);
    expect(emitted).toEqual([[1], [2]]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
