import { describe, expect, it } from "vitest";
import { derivedId, idSchema, newId } from "./ids.ts";

describe("ids", () => {
  it("are new each time, fit their schema, and no other kind's", () => {
    const ids = Array.from({ length: 10_000 }, () => newId("session"));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids.slice(0, 100)) {
      expect(idSchema("session").safeParse(id).success).toBe(true);
      expect(idSchema("event").safeParse(id).success).toBe(false);
    }
  });

  it("use every character in every place of their random part", () => {
    const seen = Array.from({ length: 16 }, () => new Set<string>());
    for (let count = 0; count < 5_000; count += 1) {
      const random = newId("event").slice(-16);
      seen.forEach((characters, place) => characters.add(random.charAt(place)));
    }
    expect(seen.map(({ size }) => size)).toEqual(Array.from({ length: 16 }, () => 32));
  });

  it("are the same for the same parts, and different for different ones", () => {
    // Pinned: sessions and runs are found by these ids for as long as their log exists.
    expect(derivedId("session", "org_1", "key")).toBe("ses_0PJFXKZ7WPB2CB51WW85F75BSV");
    expect(derivedId("run", "org_1", "key")).not.toBe(
      derivedId("session", "org_1", "key").replace("ses_", "run_"),
    );
    expect(derivedId("session", "a", "bc")).not.toBe(derivedId("session", "ab", "c"));
    expect(idSchema("session").safeParse(derivedId("session", "x")).success).toBe(true);
  });

  it.each([
    "",
    "ses_",
    "ses_short",
    "ses_01J8Z0K3V9Q6T4C2B7N5M1XWYI",
    "evt_01J8Z0K3V9Q6T4C2B7N5M1XWYA",
  ])("refuses %j as the id of a session", (text) => {
    expect(idSchema("session").safeParse(text).success).toBe(false);
  });
});
