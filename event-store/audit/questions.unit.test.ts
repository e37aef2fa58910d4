import { describe, expect, it } from "vitest";
import { parseLogPoint, parseTime } from "./log-point.ts";
import { filterOf, parseAggregate, parseOrganization, typeOfId } from "./scope.ts";

const now = new Date("2026-08-21T12:00:00.000Z");

describe("a moment of the log", () => {
  it.each([
    ["2026-08-21", "2026-08-21T00:00:00.000Z"],
    ["2026-08-21T09:30", "2026-08-21T09:30:00.000Z"],
    ["2026-08-21T09:30:15.25Z", "2026-08-21T09:30:15.250Z"],
    ["2026-08-21T09:30:00+02:00", "2026-08-21T07:30:00.000Z"],
    ["15m", "2026-08-21T11:45:00.000Z"],
    ["7d", "2026-08-14T12:00:00.000Z"],
  ])("reads %s as %s", (text, at) => {
    expect(parseTime(text, now).toISOString()).toBe(at);
  });

  it.each(["yesterday", "2026-13-01", "5", "15 m", ""])("refuses %j", (text) => {
    expect(() => parseTime(text, now)).toThrow(
      expect.objectContaining({ code: "request_malformed" }),
    );
  });

  it("may be a position", () => {
    expect(parseLogPoint("3:41", now)).toEqual({ kind: "position", shard: 3, sequence: 41 });
  });
});

describe("a part of the log", () => {
  it("is named by ids that cannot widen it", () => {
    expect(parseAggregate("transcript:ses_1")).toEqual({ type: "transcript", id: "ses_1" });
    expect(filterOf({ aggregate: parseAggregate("ses_1") }, 2)).toBe("evt.2.*.*.ses_1");
    for (const wild of [">", "*", "ses_1.x", "nothing:ses_1", "session:*", "a:b:c", ""]) {
      expect(() => parseAggregate(wild)).toThrow(
        expect.objectContaining({ code: "request_malformed" }),
      );
    }
    expect(() => parseOrganization("*")).toThrow();
  });

  it("guesses the type from the id", () => {
    expect(["ses_1", "inv_1", "pol_1", "usr_1"].map(typeOfId)).toEqual([
      "session",
      "invocation",
      "policy",
      null,
    ]);
  });
});
