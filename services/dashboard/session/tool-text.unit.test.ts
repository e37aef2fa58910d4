import { expect, it } from "vitest";
import { exitCodeOf, toolDiff, toolInputText, toolSummary } from "./tool-text.ts";

it("sums a call up by its title, else by its most telling argument, else not at all", () => {
  expect(toolSummary({ title: "Run the tests", input: { command: "npm test" } })).toBe(
    "Run the tests",
  );
  expect(toolSummary({ title: null, input: { command: "npm test\nnpm run lint" } })).toBe(
    "npm test",
  );
  expect(toolSummary({ title: "", input: { filePath: "a.ts", limit: 3 } })).toBe("a.ts");
  expect(toolSummary({ title: null, input: { limit: 3 } })).toBeNull();
});

it("shows a shell command as typed, and hides no other argument", () => {
  expect(toolInputText({ command: "npm test", description: "Run the tests" })).toBe("npm test");
  expect(JSON.parse(toolInputText({ command: "npm test", timeout: 5 }))).toEqual({
    command: "npm test",
    timeout: 5,
  });
});

it("finds an edit's diff and a command's exit code where the tool has told them, and nothing elsewhere", () => {
  expect(toolDiff({ metadata: { diff: "@@" } })).toBe("@@");
  expect(exitCodeOf({ metadata: { exit: 0 } })).toBe(0);
  for (const metadata of [null, {}, { diff: 1, exit: "0" }, { diff: "" }]) {
    expect([toolDiff({ metadata }), exitCodeOf({ metadata })]).toEqual([null, null]);
  }
});
