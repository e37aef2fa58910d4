import { expect, it } from "vitest";
import { diffLines } from "./diff-lines.ts";

it("tells the lines that were added and removed from those around them, and leaves the heading out", () => {
  const diff =
    "Index: a.ts\n====\n--- a.ts\n+++ a.ts\n@@ -1,3 +1,2 @@\n one\n-two\n--- three\n+++ 2\n";
  expect(diffLines(diff).map(({ kind, text }) => [kind, text])).toEqual([
    ["place", "@@ -1,3 +1,2 @@"],
    ["context", " one"],
    ["removed", "-two"],
    ["removed", "--- three"],
    ["added", "+++ 2"],
  ]);
});

it("shows what is no diff as it is", () => {
  expect(diffLines("nothing")).toEqual([{ kind: "context", text: "nothing" }]);
});
