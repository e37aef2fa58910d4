/**
 * The files of the repository that `fix-the-failing-test` works on, by path. `node --test` fails in it, and passes
 * once `sum.mjs` adds instead of subtracting.
 */
export const failingTestRepository: Readonly<Record<string, string>> = {
  "README.md": "# sum\n\nAdds two numbers. `node --test` runs the tests.\n",
  "sum.mjs": "export function sum(a, b) {\n  return a - b;\n}\n",
  "sum.test.mjs": [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    'import { sum } from "./sum.mjs";',
    "",
    'test("adds two numbers", () => {',
    "  assert.equal(sum(2, 3), 5);",
    "});",
    "",
  ].join("\n"),
};
