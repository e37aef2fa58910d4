import { describe, expect, it } from "vitest";
import { idSchema, newId } from "./ids.ts";

describe("a new id", () => {
  it("is unlike every other and fits its schema", () => {
    const ids = Array.from({ length: 5_000 }, () => newId("event"));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !idSchema("event").safeParse(id).success)).toEqual([]);
  });

  it("uses every character in every place of its random part", () => {
    const seen = Array.from({ length: 16 }, () => new Set<string>());
    for (let count = 0; count < 5_000; count += 1) {
      const random = newId("event").slice(-16);
      seen.forEach((characters, place) => characters.add(random.charAt(place)));
    }
    expect(seen.map(({ size }) => size)).toEqual(Array.from({ length: 16 }, () => 32));
  });
});
