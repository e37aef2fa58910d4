import { describe, expect, it } from "vitest";
import { DomainError } from "#contracts/errors";
import { completed, failed, maxResultBytes } from "./outcome.ts";
import { redactJson } from "./redact-result.ts";
import { truncateJson } from "./truncate.ts";

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe("redactJson", () => {
  it("masks fields by name, at any depth and in any spelling, and keeps counts", () => {
    expect(
      redactJson({
        items: [{ api_key: "k", accessToken: "t", Authorization: { scheme: "x" }, note: "fine" }],
        "client-secret": "s",
        tokens: 12,
        password: null,
        secretary: "Ada",
      }),
    ).toEqual({
      items: [
        {
          api_key: "[redacted]",
          accessToken: "[redacted]",
          Authorization: "[redacted]",
          note: "fine",
        },
      ],
      "client-secret": "[redacted]",
      tokens: 12,
      password: null,
      secretary: "Ada",
    });
  });

  it("masks bearer tokens inside texts and in names of fields", () => {
    const text = JSON.stringify(
      redactJson({ log: "sent Bearer abcdef123456", "Bearer abcdef123456": 1 }),
    );
    expect(text).not.toContain("abcdef123456");
  });
});

describe("truncateJson", () => {
  it("leaves alone what fits", () => {
    const value = { a: [1, 2, 3] };
    expect(truncateJson(value, 100)).toEqual({ value, truncated: false });
  });

  it.each([
    ["a long text", "x".repeat(100_000)],
    ["a long list", Array.from({ length: 5_000 }, (_, id) => ({ id, name: "n".repeat(20) }))],
    [
      "many fields",
      Object.fromEntries(Array.from({ length: 5_000 }, (_, id) => [`field${id}`, id])),
    ],
    ["text of four-byte characters", { text: "🦀".repeat(30_000) }],
    ["long names of fields", { ["k".repeat(60_000)]: 1 }],
    [
      "deep nesting",
      Array.from({ length: 500 }).reduce<object>((inner) => ({ inner, pad: "p".repeat(40) }), {}),
    ],
  ])("cuts %s to the limit and stays JSON", (_name, value) => {
    const { value: cut, truncated } = truncateJson(value as never, 10_240);
    expect(truncated).toBe(true);
    expect(bytes(cut)).toBeLessThanOrEqual(10_240);
    expect(JSON.parse(JSON.stringify(cut))).toEqual(cut);
    expect(JSON.stringify(cut)).not.toMatch(/\\ud[89a-f]/i);
  });

  it("keeps the shape and says how much is missing", () => {
    const { value } = truncateJson(
      { ok: true, lines: Array.from({ length: 300 }, () => "l".repeat(100)) },
      10_240,
    );
    expect(value).toMatchObject({
      ok: true,
      lines: expect.arrayContaining(["l".repeat(100)]) as unknown,
    });
    expect(JSON.stringify(value)).toMatch(/\d+ more items/);
  });
});

describe("completed", () => {
  it("redacts before it cuts, so that no half of a secret remains", () => {
    const text = `${"x".repeat(20_000)} Bearer `;
    const { command, whole } = completed({ text: `${text}${"s".repeat(500)}` }, 5);
    expect(command).toMatchObject({ type: "CompleteAction", truncated: true, durationMs: 5 });
    expect(bytes(command.result)).toBeLessThanOrEqual(maxResultBytes);
    expect(JSON.stringify(command)).not.toContain("ssss");
    expect(whole).toEqual({ text: `${text}[redacted]` });
  });

  it("stores nothing as null", () => {
    expect(completed(undefined, 1)).toMatchObject({
      command: { result: null, truncated: false },
      whole: null,
    });
  });
});

describe("failed", () => {
  it("is a failure where the source is certain or the action only reads, else an unknown outcome", () => {
    const certain = new DomainError("action_failed", "the version exists");
    const broken = new Error("socket closed with Bearer abcdef123456");
    expect(failed(certain, "write")).toEqual({
      type: "FailAction",
      failure: { code: "action_failed", message: "the version exists" },
    });
    expect(failed(broken, "read")).toMatchObject({
      type: "FailAction",
      failure: { code: "action_interrupted" },
    });
    expect(failed(broken, "write")).toEqual({
      type: "LoseOutcome",
      reason: "socket closed with Bearer [redacted]",
    });
    expect(failed(broken, "danger").type).toBe("LoseOutcome");
  });
});
