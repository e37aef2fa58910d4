// Prints the counts of Vitest's JSON reports as one line; exits with 1 if anything has failed. What has failed, of
// which a log of many runs has only some near its end, is named before it, on stderr.
// usage: node summary.mjs (<report.json> <exit code of the run>)...
import { readFile } from "node:fs/promises";
import process from "node:process";

const counts = { passed: 0, failed: 0, skipped: 0 };

/** Enough of a failure to tell it from others. */
const shownCharacters = 1_000;

/** @param {string} what @param {string} [why] */
const fail = (what, why = "") => {
  counts.failed += 1;
  process.stderr.write(`Failed: ${what}\n${why.slice(0, shownCharacters)}\n`);
};

/** @param {string} file @param {string} exitCode */
const count = async (file, exitCode) => {
  const before = counts.failed;
  let report;
  try {
    report = JSON.parse(await readFile(file, "utf8"));
  } catch {
    // One failure that nobody has counted.
    fail(`a run that ended with ${exitCode} before it could report`);
    return;
  }
  for (const suite of report.testResults) {
    const beforeSuite = counts.failed;
    for (const test of suite.assertionResults) {
      if (test.status === "passed") counts.passed += 1;
      else if (test.status === "failed")
        fail(`${suite.name} > ${test.fullName}`, test.failureMessages?.[0]);
      else counts.skipped += 1;
    }
    // It did not load, or a hook of it threw.
    if (suite.status === "failed" && counts.failed === beforeSuite) fail(suite.name, suite.message);
  }
  if (exitCode !== "0" && counts.failed === before)
    fail(`something outside of all tests of a run that ended with ${exitCode}`);
};

const runs = process.argv.slice(2);
// Nothing at all is no success.
if (runs.length === 0) runs.push("", "1");
for (let run = 0; run < runs.length; run += 2) await count(runs[run] ?? "", runs[run + 1] ?? "1");

const { passed, failed, skipped } = counts;
process.stdout.write(`Tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed > 0 ? 1 : 0;
