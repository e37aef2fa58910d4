import { spawn } from "node:child_process";
import { join } from "node:path";

/** `npm run check`: all static checks at once. Fails when one of them does. */
const root = join(import.meta.dirname, "..", "..");

interface Check {
  readonly name: string;
  /** Relative to `node_modules`. */
  readonly program: string;
  readonly args: readonly string[];
}

const checks: readonly Check[] = [
  { name: "types", program: "typescript/bin/tsc", args: ["-p", "."] },
  { name: "lint", program: "eslint/bin/eslint.js", args: ["."] },
  { name: "format", program: "prettier/bin/prettier.cjs", args: ["--check", "."] },
  { name: "unused code", program: "knip/bin/knip.js", args: [] },
];

interface Outcome {
  readonly check: Check;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

const run = (check: Check): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const program = join(root, "node_modules", check.program);
    const child = spawn(process.execPath, [program, ...check.args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? "1" : "0" },
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({
        check,
        passed: code === 0,
        seconds: (performance.now() - started) / 1000,
        output: Buffer.concat(chunks).toString("utf8").trim(),
      });
    });
  });

const report = ({ check, passed, seconds, output }: Outcome): void => {
  if (!passed && output !== "") process.stdout.write(`\n${check.name}:\n${output}\n\n`);
  const verdict = passed ? "ok  " : "FAIL";
  process.stdout.write(`${verdict} ${check.name} (${seconds.toFixed(1)} s)\n`);
};

const outcomes = await Promise.all(
  checks.map(async (check) => {
    const outcome = await run(check);
    report(outcome);
    return outcome;
  }),
);

const failed = outcomes.filter((outcome) => !outcome.passed).map(({ check }) => check.name);
if (failed.length > 0) {
  process.stdout.write(`\nNot in order: ${failed.join(", ")}.\n`);
  process.exitCode = 1;
}
