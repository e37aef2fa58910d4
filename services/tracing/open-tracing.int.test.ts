import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DomainError } from "#contracts/errors";
import { isRecorded, inSpan } from "#event-store/tracing/tracing";
import { type OpenTracing, openTracing } from "./open-tracing.ts";
import { type OtlpReceiver, startOtlpReceiver } from "./testing/otlp-receiver.ts";

const patience = { timeout: 30_000, interval: 20 };
const log = { warn: vi.fn(), info: vi.fn() };
const open = (endpoint: string, ratio = 1): OpenTracing =>
  openTracing({ endpoint, service: "test", instance: "one", ratio, log });

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
  vi.clearAllMocks();
});
afterEach(() => receiver.close());

describe("what is recorded", () => {
  it("is as the beginning of its trace was, and whatever is linked", () => {
    const tracing = open(receiver.url, 0);
    const root = tracing.start({ name: "root", kind: "server" });
    expect(isRecorded(root.traceparent)).toBe(false);
    const child = tracing.start({ name: "child", kind: "internal", parent: root.traceparent });
    expect(child.traceId).toBe(root.traceId);
    expect(isRecorded(child.traceparent)).toBe(false);

    const recorded = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
    const remote = tracing.start({ name: "remote", kind: "consumer", parent: recorded });
    expect(remote.traceparent).toMatch(new RegExp(`^00-${"ab".repeat(16)}-[0-9a-f]{16}-01$`));
    const batch = tracing.start({ name: "batch", kind: "consumer", links: [recorded] });
    expect(isRecorded(batch.traceparent)).toBe(true);
    expect(batch.traceId).not.toBe(remote.traceId);
  });

  it("begins anew where the parent cannot be read", () => {
    const tracing = open(receiver.url);
    for (const parent of ["", "00-xyz", `00-${"0".repeat(32)}-${"0".repeat(16)}-01`]) {
      expect(tracing.start({ name: "any", kind: "server", parent }).traceparent).toMatch(
        /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/,
      );
    }
  });

  it("names a failure by its code or class, and never by its message", async () => {
    const tracing = open(receiver.url);
    const fail = (error: Error) =>
      inSpan(tracing, { name: error.name, kind: "internal" }, () => Promise.reject(error));
    await expect(fail(new DomainError("log_gap", "a password"))).rejects.toThrow("a password");
    await expect(fail(new TypeError("a password"))).rejects.toThrow("a password");
    await inSpan(tracing, { name: "discarded", kind: "internal" }, (span) => {
      span.discard();
      return Promise.resolve();
    });
    await tracing.stop();
    expect(receiver.spans.map(({ status, attributes }) => ({ ...status, attributes }))).toEqual([
      { code: 2, message: "log_gap", attributes: { "error.type": "log_gap" } },
      { code: 2, message: "TypeError", attributes: { "error.type": "TypeError" } },
    ]);
    expect(receiver.bodies.join("")).not.toContain("a password");
  });
});

describe("a collector that takes nothing", () => {
  it("is told of once, and once more when it is back; work goes on", async () => {
    const tracing = open(receiver.url);
    const work = () =>
      inSpan(tracing, { name: "work", kind: "internal" }, () => Promise.resolve(7));
    receiver.answerWith(400);
    for (const refused of [1, 2]) {
      expect(await work()).toBe(7);
      await vi.waitUntil(() => receiver.requests() === refused, patience);
    }
    await vi.waitUntil(() => log.warn.mock.calls.length > 0, patience);
    receiver.answerWith(200);
    expect(await work()).toBe(7);
    await vi.waitUntil(() => receiver.spans.length === 1, patience);
    await vi.waitUntil(() => log.info.mock.calls.length > 0, patience);
    expect(log.warn).toHaveBeenCalledTimes(1);
    expect(log.info).toHaveBeenCalledTimes(1);
    await tracing.stop();
  });

  it("holds nobody up who stops", async () => {
    const { url } = receiver;
    await receiver.close();
    const tracing = open(url);
    await inSpan(tracing, { name: "work", kind: "internal" }, () => Promise.resolve());
    await tracing.stop();
    await vi.waitUntil(() => log.warn.mock.calls.length === 1, patience);
    receiver = await startOtlpReceiver();
  });
});
