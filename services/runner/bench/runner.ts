/** What one runner can hold, with stand-ins for its sandboxes: `npm run bench runner`. */
import { pino } from "pino";
import { startEmbeddedStack } from "#infra/embedded-stack";
import { readConfig } from "../../config.ts";
import { openPlatform } from "../../platform.ts";
import { runningStack } from "../../running.ts";
import { type IdleFigures, measureIdle } from "./idle.ts";
import { measureStreaming, type StreamingFigures } from "./streaming.ts";

export type RunnerBench = IdleFigures & StreamingFigures;

/** How many sessions rest, and how many stream at once. */
const sessions = { idle: 1_000, streaming: 100 };

/** @param scale of the numbers of sessions */
export const benchRunner = async (dataDir: string, scale: number): Promise<RunnerBench> => {
  const started = runningStack();
  try {
    const servers = await startEmbeddedStack({ dataDir, env: process.env, durability: "relaxed" });
    started.add(servers);
    const { natsUrl, databaseUrl } = servers;
    const platform = await openPlatform({
      config: readConfig({ DURABILITY: "relaxed" }),
      log: pino({ level: "warn" }, pino.destination(2)),
      natsUrl,
      databaseUrl,
      secretsKey: "33".repeat(32),
    });
    started.add(platform);
    const bench = { platform, natsUrl };
    return {
      ...(await measureIdle(bench, Math.ceil(sessions.idle * scale))),
      ...(await measureStreaming(bench, Math.ceil(sessions.streaming * scale))),
    };
  } finally {
    await started.stop();
  }
};
