/** `npm run demo`: the main job on an embedded stack, from nothing, with a timeline of what happens. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { readConfig } from "../config.ts";
import { startProgram } from "../start-program.ts";
import { runMainJob } from "./main-job.ts";
import { createTimeline } from "./timeline.ts";

const json = process.argv.includes("--json");
const startedAt = performance.now();
const write = (line: string): void => {
  (json ? process.stderr : process.stdout).write(`${line}\n`);
};

const dataDir = await mkdtemp(join(tmpdir(), "proliferate-demo-"));
const timeline = createTimeline(write);
try {
  timeline.step("Starting NATS, Postgres and all roles");
  const program = await startProgram({
    config: readConfig({
      LOG_LEVEL: process.env["LOG_LEVEL"] ?? "error",
      ANTHROPIC_API_KEY: process.env["ANTHROPIC_API_KEY"],
      DATA_DIR: dataDir,
      PORT: "0",
      FANOUT_PORT: "0",
      DURABILITY: "relaxed",
    }),
    log: pino({ level: process.env["LOG_LEVEL"] ?? "error" }, pino.destination(2)),
    environment: process.env,
    onProgress: write,
  });
  try {
    const result = await runMainJob({ program, dataDir, timeline, startedAt });
    timeline.step(`Done in ${(result.totalMs / 1_000).toFixed(1)} s`);
    if (json) {
      process.stdout.write(`${JSON.stringify(result)}\n`);
    }
  } finally {
    await program.stop();
  }
} catch (error) {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  if (json) {
    process.stdout.write(`${JSON.stringify({ ok: false, error: String(error) })}\n`);
  }
  process.exitCode = 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
