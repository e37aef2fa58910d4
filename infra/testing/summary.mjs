// Prints the counts of a Vitest JSON report as one line; exits with 1 if anything has failed.
// usage: node summary.mjs <report.json> <exit code of the run>
import { readFile } from "node:fs/promises";
import process from "node:process";

const [file = "", exitCode = "1"] = process.argv.slice(2);

const count = async () => {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let report;
  try {
    report = JSON.parse(await readFile(file, "utf8"));
  } catch {
    // The run ended before it could report, which is one failure that nobody has counted.
    return { ...counts, failed: 1 };
  }
  for (const suite of report.testResults) {
    const before = counts.failed;
    for (const test of suite.assertionResults) {
      if (test.status === "passed") counts.passed += 1;
      else if (test.status === "failed") counts.failed += 1;
      else counts.skipped += 1;
    }
    // It did not load, or a hook of it threw.
    if (suite.status === "failed" && counts.failed === before) counts.failed += 1;
  }
  // An error outside of all tests.
  if (exitCode !== "0" && counts.failed === 0) counts.failed = 1;
  return counts;
};

const { passed, failed, skipped } = await count();
process.stdout.write(`Tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed > 0 ? 1 : 0;
