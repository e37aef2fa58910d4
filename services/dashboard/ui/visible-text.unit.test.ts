import fc from "fast-check";
import { expect, it } from "vitest";
import { visibleText } from "./visible-text.ts";

it.each([
  ["a control character", "rm\u0007", "rm⟨U+0007⟩"],
  ["an override of the direction", "read\u202Eeteled", "read⟨U+202E⟩eteled"],
  ["a space of no width", "a\u200Bb", "a⟨U+200B⟩b"],
  ["a tag that only models read", "a\u{E0041}", "a⟨U+E0041⟩"],
  ["half a character", "a\uD800", "a⟨U+D800⟩"],
  ["lines and tabs, as they are", "a\n\tb é 漢 🙂", "a\n\tb é 漢 🙂"],
])("shows %s", (_name, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it("leaves nothing that cannot be seen, and changes nothing twice", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = visibleText(text);
      expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u);
      expect(visibleText(shown)).toBe(shown);
    }),
  );
});
