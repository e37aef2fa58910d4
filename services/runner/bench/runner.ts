/** What one runner can hold, with stand-ins for its sandboxes: `npm run bench runner`. */
import { pino } from "pino";
import { startEmbeddedStack } from "#infra/embedded-stack";
import { readConfig } from "../../config.ts";
import { openPlatform } from "../../platform.ts";
import { runningStack } from "../../running.ts";
import { type IdleFigures, measureIdle } from "./idle.ts";
import { measureStreaming, type StreamingFigures } from "./streaming.ts";

export type RunnerBench = IdleFigures & StreamingFigures;

export const benchRunner = async (dataDir: string): Promise<RunnerBench> => {
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
    return { ...(await measureIdle(bench)), ...(await measureStreaming(bench)) };
  } finally {
    await started.stop();
  }
};
