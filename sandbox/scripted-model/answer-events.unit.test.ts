import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokensOf } from "./answer-events.ts";

describe("splitting a text into tokens", () => {
  it("loses and adds nothing, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(" ", "\n", "a", "b", "é", "🙂", "{") }),
        (text) => {
          expect(tokensOf(text).join("")).toBe(text);
        },
      ),
    );
  });

  it("makes one token of one word", () => {
    expect(tokensOf("to be, or\n\nnot")).toEqual(["to ", "be, ", "or\n", "\nnot"]);
  });
});
