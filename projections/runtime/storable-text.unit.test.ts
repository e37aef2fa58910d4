import { expect, it } from "vitest";
import { storable } from "./storable-text.ts";

it("replaces what Postgres refuses, in values and keys, and leaves the rest", () => {
  const said = {
    "a\0b": ["x\0y", "lone \ud800 surrogate", "whole 😀 pair", "\\u0000", 7, null, true],
  };
  expect(storable(said)).toEqual({
    "a\ufffdb": ["x\ufffdy", "lone \ufffd surrogate", "whole 😀 pair", "\\u0000", 7, null, true],
  });
});

it("cuts nesting that would exhaust a stack", () => {
  let nested: unknown = "core";
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
  expect(JSON.stringify(storable(nested))).toMatch(/^\[+"\[nested too deeply to be shown\]"\]+$/);
});

it("keeps a key that is named like the prototype as a mere key", () => {
  const parsed: unknown = JSON.parse('{"__proto__":{"admin":true}}');
  const copy = storable(parsed);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true}}');
  expect((copy as { admin?: boolean }).admin).toBeUndefined();
});
